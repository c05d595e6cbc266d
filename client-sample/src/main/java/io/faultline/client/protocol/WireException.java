package io.faultline.client.protocol;

import java.io.IOException;

/** The peer sent something that the protocol does not have; the connection cannot be used any further. */
public final class WireException extends IOException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what came
     */
    public WireException(String message) {
        super(message);
    }

    /**
     * Makes the exception.
     *
     * @param message what came
     * @param cause how it was noticed
     */
    public WireException(String message, Throwable cause) {
        super(message, cause);
    }
}
