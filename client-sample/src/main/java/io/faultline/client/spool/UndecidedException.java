package io.faultline.client.spool;

import org.apache.kafka.common.KafkaException;

/** It cannot be found out any more whether records from the spool are in the log. They stay in the spool and are not sent. */
public final class UndecidedException extends KafkaException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is missing to know it
     */
    public UndecidedException(String message) {
        super(message);
    }
}
