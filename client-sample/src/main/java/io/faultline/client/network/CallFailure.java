package io.faultline.client.network;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * There is no response to a call.
 *
 * @param reason why
 * @param inDoubt whether the peer may have got the request, and may even have done what it asked for
 * @param message for people
 * @param cause the exception behind it, null if there is none
 */
public record CallFailure(Reason reason, boolean inDoubt, String message, Exception cause) {

    /** Why there is no response. */
    public enum Reason {
        /** Its own time was up. If it had been sent, its connection was condemned with it. */
        TIMED_OUT,
        /** The connection was lost or condemned, or the broker is not known, or not any more. */
        DISCONNECTED,
        /** The peers do not trust each other. */
        NOT_AUTHENTICATED,
        /** There is no version of the API that will do. */
        UNSUPPORTED_VERSION,
        /** The client is closed. */
        CLOSED
    }

    /**
     * The failure as Kafka's clients throw it.
     *
     * @return a new exception
     */
    public KafkaException asException() {
        return switch (reason) {
            case TIMED_OUT -> new TimeoutException(message, cause);
            case DISCONNECTED -> new DisconnectException(message, cause);
            case UNSUPPORTED_VERSION -> new UnsupportedVersionException(message, cause);
            case NOT_AUTHENTICATED ->
                cause instanceof KafkaException known ? known : new KafkaException(message, cause);
            case CLOSED -> new KafkaException(message, cause);
        };
    }
}
