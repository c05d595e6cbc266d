package io.faultline.client.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.protocol.FetchedRecords.Fetched;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

class FetchedRecordsTest {

    private static final int SIZE = 4_096;
    private static final int EPOCH = 3;
    private static final long ABORTING = 1;
    private static final long COMMITTING = 2;

    private final ByteBuffer log = ByteBuffer.allocate(SIZE);
    private long next;
    private int sequence;

    private void transactional(long producer, String... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int index = 0; index < values.length; index++) {
            records[index] = new SimpleRecord(values[index].getBytes(StandardCharsets.UTF_8));
        }
        log.put(MemoryRecords.withTransactionalRecords(
                        next, Compression.NONE, producer, (short) 0, sequence, EPOCH, records)
                .buffer());
        next += values.length;
        sequence += values.length;
    }

    private void end(long producer, ControlRecordType how) {
        log.put(MemoryRecords.withEndTransactionMarker(
                        next, 0L, EPOCH, producer, (short) 0, new EndTransactionMarker(how, 0))
                .buffer());
        next++;
    }

    /** Two transactions side by side, then another of the producer whose first one was aborted. */
    private void writeTransactions() {
        transactional(ABORTING, "a0");
        transactional(COMMITTING, "c1", "c2");
        transactional(ABORTING, "a3");
        end(ABORTING, ControlRecordType.ABORT);
        end(COMMITTING, ControlRecordType.COMMIT);
        transactional(ABORTING, "b6");
        end(ABORTING, ControlRecordType.COMMIT);
    }

    private FetchedRecords fetched(long from, boolean committedOnly) {
        ByteBuffer bytes = log.duplicate().flip();
        return new FetchedRecords(
                new TopicPartition("t", 0),
                from,
                MemoryRecords.readableRecords(bytes),
                List.of(new AbortedTransaction().setProducerId(ABORTING).setFirstOffset(0)),
                committedOnly,
                true);
    }

    private static List<String> values(FetchedRecords records) {
        List<String> values = new ArrayList<>();
        for (Fetched record = records.next(); record != null; record = records.next()) {
            values.add(new String(record.value(), StandardCharsets.UTF_8));
        }
        return values;
    }

    @Test
    void controlBatchesAreSkipped() {
        writeTransactions();
        assertThat(values(fetched(0, false))).containsExactly("a0", "c1", "c2", "a3", "b6");
    }

    @Test
    void recordsOfAbortedTransactionsAreLeftOutWhereOnlyCommittedOnesAreWanted() {
        writeTransactions();
        assertThat(values(fetched(0, true))).containsExactly("c1", "c2", "b6");
    }

    @Test
    void theLogGoesOnBehindControlBatchesThatCameLast() {
        writeTransactions();
        assertThat(fetched(0, true).nextOffset()).isEqualTo(next);
        assertThat(fetched(0, true).lastEpoch()).contains(EPOCH);
    }

    @Test
    void recordsOfABatchBeforeTheOffsetThatWasAskedForAreSkipped() {
        writeTransactions();
        assertThat(values(fetched(2, true))).containsExactly("c2", "b6");
    }

    @Test
    void whatWasReadOutlivesTheBytesOfTheBatches() {
        log.put(MemoryRecords.withRecords(
                        Compression.NONE,
                        new SimpleRecord(
                                0,
                                "key".getBytes(StandardCharsets.UTF_8),
                                "value".getBytes(StandardCharsets.UTF_8),
                                new Header[] {new RecordHeader("header", "its value".getBytes(StandardCharsets.UTF_8))
                                }))
                .buffer());
        Fetched read = fetched(0, false).next();
        Arrays.fill(log.array(), (byte) 0);
        assertThat(read.key()).asString().isEqualTo("key");
        assertThat(read.value()).asString().isEqualTo("value");
        assertThat(read.headers())
                .containsExactly(new RecordHeader("header", "its value".getBytes(StandardCharsets.UTF_8)));
    }
}
