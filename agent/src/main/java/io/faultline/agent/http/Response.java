package io.faultline.agent.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a client is answered.
 *
 * @param status the outcome
 * @param contentType of the body
 * @param body the page
 */
public record Response(Status status, String contentType, byte[] body) {

    private static final String PLAIN = "text/plain; charset=utf-8";

    /** For whatever the page is: nothing is kept, guessed, framed, fetched from elsewhere or run. */
    private static final String FOR_EVERY_PAGE = String.join(
            "\r\n",
            "Cache-Control: no-store",
            "Connection: close",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy: same-origin",
            "Referrer-Policy: no-referrer",
            "X-Content-Type-Options: nosniff",
            "X-Frame-Options: DENY",
            "");

    /**
     * Answers with a page.
     *
     * @param contentType of the page
     * @param page its text
     * @return the answer
     */
    public static Response page(String contentType, String page) {
        return new Response(Status.OK, contentType, page.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Answers with one line of plain text.
     *
     * @param status the outcome
     * @param line for a person, without its end
     * @return the answer
     */
    public static Response line(Status status, String line) {
        return new Response(status, PLAIN, (line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** The answer as it is sent. */
    ByteBuffer bytes(boolean headOnly) {
        String head = "HTTP/1.1 " + status + "\r\nContent-Type: " + contentType + "\r\nContent-Length: " + body.length
                + "\r\n" + (status == Status.METHOD_NOT_ALLOWED ? "Allow: GET, HEAD\r\n" : "") + FOR_EVERY_PAGE
                + "\r\n";
        byte[] headBytes = head.getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer bytes = ByteBuffer.allocate(headBytes.length + (headOnly ? 0 : body.length));
        bytes.put(headBytes);
        if (!headOnly) {
            bytes.put(body);
        }
        return bytes.flip();
    }
}
