package io.faultline.client;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * What becomes of a record that was sent, in two stages. Without a spool they are one.
 *
 * <p>Both futures are the caller's own: completing, cancelling or timing one out touches nothing of the client's. They complete
 * on the client's callback thread, in order for each partition; what hangs on them should not take long, since it delays other
 * callbacks. Waiting for a future in there, which would be waiting for oneself, throws an {@link IllegalStateException}.
 */
public interface Delivery {

    /**
     * The record will not be lost by this process: it is in the spool, or the broker has it.
     *
     * @return a new future each time; completes exceptionally when {@link #delivered} does first
     */
    CompletableFuture<Void> accepted();

    /**
     * The broker has the record, as {@code acks} asks for, or there is no hope any more.
     *
     * @return a new future each time; its exception is one of Kafka's. After a
     *     {@link org.apache.kafka.common.errors.TimeoutException} the record may be in the log all the same: nobody knows
     */
    CompletableFuture<RecordMetadata> delivered();
}
