package io.faultline.agent.http;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * What a client asks for: the head of an HTTP/1 request, as far as pages that can only be read need it.
 *
 * @param method such as "GET"
 * @param path the target without its query, as it was sent
 * @param accept the Accept header, "" where there is none
 */
public record Request(String method, String path, String accept) {

    private static final int PARTS_OF_A_REQUEST_LINE = 3;
    private static final String ACCEPT = "accept:";

    /**
     * Reads the head of a request.
     *
     * @param head everything up to the empty line
     * @return the request, or null where this is none
     */
    static Request parse(byte[] head) {
        String[] lines = new String(head, StandardCharsets.ISO_8859_1).split("\r?\n", -1);
        String[] parts = lines[0].split(" ", -1);
        if (parts.length != PARTS_OF_A_REQUEST_LINE || !parts[1].startsWith("/") || !parts[2].startsWith("HTTP/1.")) {
            return null;
        }
        String accept = "";
        for (int line = 1; line < lines.length; line++) {
            if (lines[line].toLowerCase(Locale.ROOT).startsWith(ACCEPT)) {
                accept = lines[line].substring(ACCEPT.length()).strip();
            }
        }
        return new Request(parts[0], parts[1].split("\\?", 2)[0], accept);
    }

    /** Whether the client wants the head of the answer only. */
    boolean isHead() {
        return method.equals("HEAD");
    }

    /** Whether nothing but reading is asked for. */
    boolean isRead() {
        return method.equals("GET") || isHead();
    }
}
