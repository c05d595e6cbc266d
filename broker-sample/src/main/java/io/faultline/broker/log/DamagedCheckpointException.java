package io.faultline.broker.log;

import java.io.IOException;

/** That a checkpoint can be read, and is not what a checkpoint is. */
final class DamagedCheckpointException extends IOException {

    private static final long serialVersionUID = 1;

    /**
     * Says what is wrong.
     *
     * @param message the file and what is wrong with it
     * @param cause how it was found out
     */
    DamagedCheckpointException(String message, Throwable cause) {
        super(message, cause);
    }
}
