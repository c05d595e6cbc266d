package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The second opinion on a disk: files read again outside of any server. */
class VerifyIT {

    private static final int BATCHES = 40;
    private static final int RECORDS_IN_BATCH = 5;
    private static final int BLOCK = 4096;

    /** So that a block holds parts of several batches, and a batch may span two blocks. */
    private static final int VALUE = 300;

    @TempDir
    private Path folder;

    private final long[] positions = new long[BATCHES + 1];

    /** A segment as Kafka writes it: batch {@code i} holds offsets {@code 5 i} to {@code 5 i + 4}. */
    private Path segment(Path partition) throws IOException {
        Files.createDirectories(partition);
        Path file = partition.resolve("00000000000000000000.log");
        try (FileRecords records = FileRecords.open(file.toFile())) {
            for (int batch = 0; batch < BATCHES; batch++) {
                SimpleRecord[] content = new SimpleRecord[RECORDS_IN_BATCH];
                Arrays.setAll(content, i -> new SimpleRecord(new byte[VALUE]));
                records.append(MemoryRecords.withRecords((long) batch * RECORDS_IN_BATCH, Compression.NONE, content));
                positions[batch + 1] = records.sizeInBytes();
            }
        }
        return file;
    }

    /** The batches that a block touches. */
    private long[] offsetsIn(long from, long to) {
        int first = 0;
        while (positions[first + 1] <= from) {
            first++;
        }
        int last = first;
        while (last + 1 < BATCHES && positions[last + 1] < to) {
            last++;
        }
        return new long[] {(long) first * RECORDS_IN_BATCH, (last + 1L) * RECORDS_IN_BATCH - 1};
    }

    @Test
    void whatCanBeReadIsSaidSoWithItsSize() throws IOException {
        segment(folder.resolve("orders-3"));

        Finished verified = AgentCommand.run("verify", folder);

        assertThat(verified.exit()).isZero();
        assertThat(verified.out())
                .singleElement()
                .asString()
                .startsWith("1 files, " + positions[BATCHES] + " bytes read, all of it readable");
    }

    @Test
    @NeedsFailingDisk
    void aBadBlockIsNamedWithItsPartitionAndOffsets(FailingDisk disk) throws IOException {
        Path file = segment(disk.directory().resolve("orders-3"));
        long bad = 5L * BLOCK;
        disk.poison(file, bad, 1);
        long[] lost = offsetsIn(bad, bad + BLOCK);

        Finished verified = AgentCommand.run("verify", disk.directory(), "--rate", 100);

        assertThat(verified.exit()).isEqualTo(3);
        assertThat(verified.out().get(0))
                .startsWith(file + ": unreadable at " + bad + ", " + BLOCK + " bytes, orders-3, offsets " + lost[0]
                        + " to " + lost[1] + ": java.io.IOException: ");
        assertThat(verified.out().get(1)).contains(BLOCK + " bytes of 1 files cannot be read");
    }

    @Test
    @NeedsFailingDisk
    void withTheIndexTheNextBatchIsFoundBehindAHeaderThatIsLost(FailingDisk disk) throws IOException {
        Path file = segment(disk.directory().resolve("orders-3"));
        int batch = BATCHES / 2;
        ByteBuffer index = ByteBuffer.allocate(8);
        index.putInt(batch * RECORDS_IN_BATCH + RECORDS_IN_BATCH - 1).putInt((int) positions[batch]);
        Files.write(file.resolveSibling("00000000000000000000.index"), index.array());
        long bad = 5L * BLOCK;
        disk.poison(file, bad, 1);

        Map<String, Object> region = onlyRegion(AgentCommand.run("verify", file, "--json"));

        assertThat(region)
                .as("by the index the next sound batch is a later one")
                .containsEntry("firstOffset", (int) offsetsIn(bad, bad + BLOCK)[0])
                .containsEntry("lastOffset", batch * RECORDS_IN_BATCH - 1);
    }

    @Test
    @NeedsFailingDisk
    void aBadEndReachesToTheNextSegment(FailingDisk disk) throws IOException {
        Path file = segment(disk.directory().resolve("orders-3"));
        long end = positions[BATCHES];
        long bad = (end - 1) / BLOCK * BLOCK;
        disk.poison(file, bad, 1);

        assertThat(onlyRegion(AgentCommand.run("verify", file, "--json")))
                .containsEntry("position", (int) bad)
                .containsEntry("count", (int) (end - bad))
                .containsEntry("partition", "orders-3")
                .containsEntry("firstOffset", (int) offsetsIn(bad, end)[0]);

        Files.write(file.resolveSibling("00000000000000001000.log"), new byte[0]);
        assertThat(onlyRegion(AgentCommand.run("verify", file, "--json"))).containsEntry("lastOffset", 999);
    }

    @Test
    @NeedsFailingDisk
    void aFileThatIsNoSegmentIsNamedWithoutRecords(FailingDisk disk) throws IOException {
        Path file = Files.write(disk.directory().resolve("blob"), new byte[3 * BLOCK]);
        disk.poison(file, BLOCK, BLOCK);

        assertThat(onlyRegion(AgentCommand.run("verify", disk.directory(), "--json")))
                .containsEntry("file", file.toString())
                .containsEntry("position", BLOCK)
                .doesNotContainKey("partition");
    }

    @Test
    void whatIsNotThereIsNamed() {
        Finished verified = AgentCommand.run("verify", folder.resolve("none"));

        assertThat(verified.exit()).isEqualTo(1);
        assertThat(verified.err()).containsExactly("there is no " + folder.resolve("none"));
    }

    @SuppressWarnings("unchecked") // as the command documents it
    private static Map<String, Object> onlyRegion(Finished verified) throws IOException {
        assertThat(verified.exit()).as("%s %s", verified.out(), verified.err()).isEqualTo(3);
        Map<String, Object> report = JSON.std.mapFrom(String.join("\n", verified.out()));
        assertThat(report).containsEntry("readable", false);
        List<Object> bad = (List<Object>) report.get("bad");
        assertThat(bad).hasSize(1);
        return (Map<String, Object>) bad.get(0);
    }
}
