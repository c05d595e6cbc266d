package io.faultline.client.spool;

import java.io.IOException;

/** A directory cannot be used as a spool, whatever its disk does: another producer has it, or something else is in it. */
public final class ForeignSpoolException extends IOException {

    private static final long serialVersionUID = 1L;

    ForeignSpoolException(String message) {
        super(message);
    }
}
