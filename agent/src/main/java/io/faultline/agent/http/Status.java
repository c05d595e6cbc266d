package io.faultline.agent.http;

/** The outcomes that our pages have. */
public enum Status {
    /** Here it is. */
    OK(200, "OK"),
    /** No HTTP/1 request. */
    BAD_REQUEST(400, "Bad Request"),
    /** No such page. */
    NOT_FOUND(404, "Not Found"),
    /** Neither GET nor HEAD: there is nothing here that could be changed. */
    METHOD_NOT_ALLOWED(405, "Method Not Allowed"),
    /** More than we read of a request. */
    TOO_LARGE(431, "Request Header Fields Too Large"),
    /** The page could not be made. */
    FAILED(500, "Internal Server Error"),
    /** Not now. */
    UNAVAILABLE(503, "Service Unavailable");

    private final int code;
    private final String phrase;

    Status(int code, String phrase) {
        this.code = code;
        this.phrase = phrase;
    }

    /**
     * As it stands in a status line.
     *
     * @return code and phrase
     */
    @Override
    public String toString() {
        return code + " " + phrase;
    }
}
