package io.faultline.broker.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.IntStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is cut from a log, at either end, while it is copied to another directory is not in the copy that takes its place. */
class MoveOfAChangingLogTest {

    private static final int RECORDS = 300;

    @TempDir
    Path scratch;

    private final ScheduledThreadPoolExecutor deletions = new ScheduledThreadPoolExecutor(1);
    private LogDirectories directories;
    private Topics topics;
    private Partition partition;

    @BeforeEach
    void start() {
        load();
        partition = topics.create("t", 1).partitions().get(0);
        append("before", RECORDS);
    }

    private void load() {
        directories = new LogDirectories(
                List.of(scratch.resolve("a").toString(), scratch.resolve("b").toString()));
        directories.claim(1);
        topics = new Topics(directories.all(), LogConfigs.small(4_096, 0), deletions);
        topics.load();
    }

    @AfterEach
    void stop() {
        assertThat(directories.failures().offline()).isEmpty();
        topics.close();
        directories.release();
        deletions.shutdownNow();
    }

    @Test
    void aTruncatedLogMovesWithoutWhatIsForgotten() throws Exception {
        moveWhile(() -> partition.log().truncateTo(100));
        assertMoved(0, expected("before", 100));
    }

    @Test
    void aTruncatedLogThatGoesOnMovesWithWhatItHasInstead() throws Exception {
        moveWhile(() -> {
            partition.log().truncateTo(100);
            append("after", RECORDS);
        });
        List<String> expected = expected("before", 100);
        expected.addAll(expected("after", RECORDS));
        assertMoved(0, expected);
    }

    @Test
    void aLogThatIsTruncatedToItsStartMovesEmpty() throws Exception {
        moveWhile(() -> partition.log().truncateTo(0));
        assertMoved(0, List.of());
    }

    @Test
    void deletedRecordsAreNotInTheCopyThatHasThem() throws Exception {
        moveWhile(() -> partition.log().deleteRecordsBefore(250));
        assertMoved(250, expected("before", RECORDS).subList(250, RECORDS));
    }

    @Test
    void whereAllRecordsAreDeletedTheCopyGoesOnBehindThem() throws Exception {
        moveWhile(() -> {
            partition.log().deleteRecordsBefore(RECORDS);
            append("after", 1);
        });
        assertMoved(RECORDS, expected("after", 1));
    }

    /** Changes the log when its copy is nearly complete, and only this thread may change the log. */
    private void moveWhile(Runnable change) throws InterruptedException {
        LogDirectory target = directories.all().stream()
                .filter(directory -> directory != partition.directory())
                .findFirst()
                .orElseThrow();
        Topic topic = topics.byName("t").orElseThrow();
        Thread mover = new Thread(new PartitionMove(partition, () -> topic, target, () -> {}));
        partition.log().whileNobodyAppends(() -> {
            mover.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> mover.getState() == Thread.State.BLOCKED);
            assertThat(partition.future().orElseThrow().end().offset()).isPositive();
            change.run();
        });
        mover.join(30_000);
        assertThat(mover.isAlive()).isFalse();
        assertThat(partition.directory()).isEqualTo(target);
        assertThat(partition.future()).isEmpty();
    }

    /** Now, and after a restart. */
    private void assertMoved(long start, List<String> values) throws Exception {
        for (int run = 0; run < 2; run++) {
            assertThat(partition.log().startOffset()).isEqualTo(start);
            assertThat(partition.log().end().offset()).isEqualTo(start + values.size());
            assertThat(valuesFrom(start)).isEqualTo(values);
            topics.close();
            directories.release();
            load();
            partition = topics.byName("t").orElseThrow().partitions().get(0);
        }
    }

    private List<String> valuesFrom(long start) throws Exception {
        List<String> values = new ArrayList<>();
        long next = start;
        while (next < partition.log().end().offset()) {
            FileRecords read =
                    (FileRecords) partition.log().read(next, 1 << 20, true).records();
            for (Record record : read.records()) {
                if (record.offset() >= next) {
                    values.add(UTF_8.decode(record.value()).toString());
                    next = record.offset() + 1;
                }
            }
        }
        return values;
    }

    private void append(String name, int count) {
        expected(name, count)
                .forEach(value -> partition.append(
                        MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(value.getBytes(UTF_8)))));
    }

    private static List<String> expected(String name, int count) {
        return new ArrayList<>(
                IntStream.range(0, count).mapToObj(index -> name + " " + index).toList());
    }
}
