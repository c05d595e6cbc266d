package io.faultline.client.spool;

import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Hears what becomes of records that an earlier producer left in the spool, since their deliveries went with that one. Called on
 * the client's callback thread.
 */
public interface RecoveryListener {

    /** Hears nothing. */
    RecoveryListener NONE = new RecoveryListener() {};

    /**
     * The records are in the log.
     *
     * @param batch which
     * @param baseOffset of the first of them, -1 if it is not known
     */
    default void onDelivered(RecoveredBatch batch, long baseOffset) {}

    /**
     * The records were given up: the broker refuses them, they cannot be read, or their time is up.
     *
     * @param batch which
     * @param cause why
     */
    default void onFailed(RecoveredBatch batch, Exception cause) {}

    /**
     * It cannot be found out whether the records are in the log. They stay in the spool, are not sent, and are told of at each start.
     *
     * @param batch which
     * @param why what is missing to know it
     * @param records the records; empty if they cannot be read
     */
    default void onUndecided(RecoveredBatch batch, String why, List<ProducerRecord<byte[], byte[]>> records) {}
}
