package io.faultline.broker.log;

import org.apache.kafka.common.errors.KafkaStorageException;

/**
 * That a write failed because the disk is full. Nothing was changed, and the directory stays online: the same write succeeds when there
 * is room.
 *
 * <p>To clients it is the storage error that Kafka has them see when a disk is full, which they take for one that passes: producers of
 * every make send the batch again until their delivery time-out, with the same sequence, and so it is neither lost nor written twice
 * when there is room in time.
 */
public final class NoRoomException extends KafkaStorageException {

    private static final long serialVersionUID = 1;

    /**
     * Says what did not fit.
     *
     * @param message what did not fit where
     * @param cause how the write failed
     */
    public NoRoomException(String message, Throwable cause) {
        super(message, cause);
    }
}
