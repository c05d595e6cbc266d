package io.faultline.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalLong;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

class ProducerStatesTest {

    private static final long EXPIRATION_MS = 1_000;

    private final ProducerStates states = new ProducerStates(EXPIRATION_MS);
    private long nextOffset;

    @Test
    void theLastFiveBatchesAreKnownByTheOffsetsTheyGot() {
        for (int sequence = 0; sequence < 14; sequence += 2) {
            append(0, sequence, 2);
        }
        for (int sequence = 4; sequence < 14; sequence += 2) {
            assertThat(check(0, sequence, 2)).hasValue(sequence);
        }
        assertThatThrownBy(() -> check(0, 2, 2)).isInstanceOf(OutOfOrderSequenceException.class);
        assertThat(check(0, 14, 2)).isEmpty();
    }

    @Test
    void aBatchThatOverlapsAKnownOneIsNoDuplicate() {
        append(0, 0, 3);
        assertThatThrownBy(() -> check(0, 0, 2)).isInstanceOf(OutOfOrderSequenceException.class);
        assertThatThrownBy(() -> check(0, 1, 2)).isInstanceOf(OutOfOrderSequenceException.class);
    }

    @Test
    void aGapIsRefused() {
        append(0, 0, 3);
        assertThatThrownBy(() -> check(0, 4, 1))
                .isInstanceOf(OutOfOrderSequenceException.class)
                .hasMessageContaining("sent sequence 4; expected is 3");
    }

    @Test
    void anUnknownProducerStartsWithAnySequence() {
        assertThat(check(3, 77, 1)).isEmpty();
        append(3, 77, 1);
        assertThat(check(3, 78, 1)).isEmpty();
    }

    @Test
    void aNewEpochStartsWithSequenceZeroAndEndsTheOldOne() {
        append(0, 0, 3);
        assertThatThrownBy(() -> check(1, 3, 1)).isInstanceOf(OutOfOrderSequenceException.class);
        append(1, 0, 1);
        assertThatThrownBy(() -> check(0, 3, 1)).isInstanceOf(InvalidProducerEpochException.class);
        assertThatThrownBy(() -> check(0, 0, 3)).isInstanceOf(InvalidProducerEpochException.class);
        assertThat(check(1, 1, 1)).isEmpty();
    }

    @Test
    void sequencesGoOnAtZeroBehindTheLargest() {
        append(0, Integer.MAX_VALUE - 1, 4);
        assertThat(check(0, 2, 1)).isEmpty();
        assertThat(check(0, Integer.MAX_VALUE - 1, 4)).hasValue(0);
        append(1, 0, 1);
    }

    @Test
    void aProducerIsForgottenWhenItAppendsNothingForLong() {
        append(0, 0, 1);
        states.removeExpired(EXPIRATION_MS - 1);
        assertThat(states.active()).hasSize(1);
        states.removeExpired(EXPIRATION_MS);
        assertThat(states.active()).isEmpty();
        append(0, 0, 1);
        assertThat(states.check(batch(0, 50, 1), EXPIRATION_MS)).isEmpty();
    }

    private void append(int epoch, int sequence, int records) {
        MutableRecordBatch batch = batch(epoch, sequence, records);
        assertThat(states.check(batch, 0)).isEmpty();
        batch.setLastOffset(nextOffset + records - 1);
        nextOffset += records;
        states.appended(batch, 0);
    }

    private OptionalLong check(int epoch, int sequence, int records) {
        return states.check(batch(epoch, sequence, records), 0);
    }

    private static MutableRecordBatch batch(int epoch, int sequence, int count) {
        SimpleRecord[] records = new SimpleRecord[count];
        java.util.Arrays.fill(records, new SimpleRecord(1_000, new byte[10]));
        return MemoryRecords.withIdempotentRecords(Compression.NONE, 42, (short) epoch, sequence, records)
                .batches()
                .iterator()
                .next();
    }
}
