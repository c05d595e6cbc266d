package io.faultline.broker.api;

import org.apache.kafka.common.errors.ApiException;

/** What a response says about an error, beside its code. */
final class ErrorText {

    /** A message may quote a name of the client's, and with it be longer than a response has room for. */
    private static final int LONGEST = 1_000;

    private ErrorText() {}

    /** Returns the message, cut where it is long; null if there is none. */
    static String of(ApiException refused) {
        String message = refused.getMessage();
        return message == null || message.length() <= LONGEST ? message : message.substring(0, LONGEST) + "...";
    }
}
