package io.faultline.broker.api;

import java.io.Serial;
import java.util.List;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;

/** A batch is refused because of some of its records, which are named. */
final class RejectedRecordsException extends InvalidRecordException {

    @Serial
    private static final long serialVersionUID = 1;

    private final transient List<BatchIndexAndErrorMessage> records;

    /**
     * Refuses a batch.
     *
     * @param records the records, by their index in the batch, each with the reason; at least one
     */
    RejectedRecordsException(List<BatchIndexAndErrorMessage> records) {
        super("records of the batch are refused; the first one because: "
                + records.get(0).batchIndexErrorMessage());
        this.records = List.copyOf(records);
    }

    List<BatchIndexAndErrorMessage> records() {
        return records;
    }
}
