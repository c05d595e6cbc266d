package io.faultline.client.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.faultline.client.protocol.BatchHeader;
import io.faultline.client.protocol.ProducerStamp;
import io.faultline.client.spool.JournalRecord.Begun;
import io.faultline.client.spool.JournalRecord.Moved;
import io.faultline.client.spool.JournalRecord.Settled;
import io.faultline.client.spool.JournalRecord.Stamped;
import io.faultline.client.spool.JournalRecord.Stored;
import io.faultline.client.spool.JournalRecord.Undecided;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read back of a journal, and what is said of one that is not as it was written. */
class JournalTest {

    private static final int ROOM = 1_000;

    /** Records that are told apart by their ids, each of the same length. */
    private static final List<JournalRecord> THREE = List.of(new Settled(1), new Settled(2), new Settled(3));

    private static final int FRAMED = Framing.framedSize(new Settled(1).encode().length);
    private static final int MAGIC = 8;

    @TempDir
    Path folder;

    private final List<JournalRecord> read = new ArrayList<>();
    private final List<String> gaps = new ArrayList<>();

    private final JournalReader reader = new JournalReader() {
        @Override
        public void record(JournalRecord record) {
            read.add(record);
        }

        @Override
        public void gap(long from, long to) {
            gaps.add(from + " to " + to);
        }
    };

    private Journal open() throws IOException {
        return Journal.open(folder, reader);
    }

    private void write(List<JournalRecord> records) throws IOException {
        Journal journal = open();
        journal.rewrite(List.of(), ROOM);
        journal.append(records, ROOM);
        journal.close();
    }

    private void damage(int position, int value) throws IOException {
        Path file = folder.resolve("journal");
        byte[] bytes = Files.readAllBytes(file);
        bytes[position] = (byte) value;
        Files.write(file, bytes);
    }

    @Test
    void everyKindOfRecordIsReadAsItWasWritten() throws IOException {
        TopicPartition partition = new TopicPartition("t", 3);
        byte[] header = new byte[BatchHeader.SIZE];
        Arrays.fill(header, (byte) 7);
        Attempt attempt = new Attempt("cluster", Uuid.randomUuid(), new ProducerStamp(4, (short) 5, 6), 7);
        Stored stored = new Stored(1, 2, 3, partition, 4, 5, 6, 7, header);
        write(List.of(
                new Begun(1, 0),
                stored,
                new Stamped(1, attempt),
                new Moved(1, 8, 9),
                new Undecided(1, "why"),
                new Settled(1)));
        open().close();
        assertThat(read.get(1))
                .isInstanceOfSatisfying(
                        Stored.class, back -> assertThat(back.header()).isEqualTo(header))
                .usingRecursiveComparison()
                .isEqualTo(stored);
        read.remove(1);
        assertThat(read)
                .containsExactly(
                        new Begun(1, 0),
                        new Stamped(1, attempt),
                        new Moved(1, 8, 9),
                        new Undecided(1, "why"),
                        new Settled(1));
        assertThat(gaps).isEmpty();
    }

    @Test
    void aRewriteReplacesWhatWasThereBefore() throws IOException {
        Journal journal = open();
        journal.rewrite(THREE, ROOM);
        journal.rewrite(List.of(new Settled(4)), ROOM);
        journal.append(List.of(new Settled(5)), ROOM);
        journal.close();
        open().close();
        assertThat(read).containsExactly(new Settled(4), new Settled(5));
        assertThat(folder.resolve("journal.new")).doesNotExist();
    }

    @Test
    void aRecordThatIsDamagedIsAGapBetweenTheOthers() throws IOException {
        write(THREE);
        damage(MAGIC + FRAMED + 12, 99);
        open().close();
        assertThat(read).containsExactly(new Settled(1), new Settled(3));
        assertThat(gaps).containsExactly(MAGIC + FRAMED + " to " + (MAGIC + 2 * FRAMED));
    }

    @Test
    void aLengthThatIsDamagedIsAGapBetweenTheOthers() throws IOException {
        write(THREE);
        damage(MAGIC + FRAMED, 99);
        open().close();
        assertThat(read).containsExactly(new Settled(1), new Settled(3));
        assertThat(gaps).hasSize(1);
    }

    @Test
    void aLastRecordThatWasWrittenToItsEndAndIsDamagedIsAGap() throws IOException {
        write(THREE);
        damage(MAGIC + 2 * FRAMED + 12, 99);
        open().close();
        assertThat(read).containsExactly(new Settled(1), new Settled(2));
        assertThat(gaps).hasSize(1);
    }

    @Test
    void aLastRecordThatWasNotWrittenToItsEndIsNoGap() throws IOException {
        write(THREE);
        for (int cut = 1; cut <= FRAMED; cut++) {
            damage(MAGIC + 3 * FRAMED - cut, 0);
            read.clear();
            open().close();
            assertThat(read).containsExactly(new Settled(1), new Settled(2));
            assertThat(gaps).isEmpty();
        }
    }

    @Test
    void aJournalThatIsEmptyIsAGap() throws IOException {
        Files.createFile(folder.resolve("journal"));
        open().close();
        assertThat(read).isEmpty();
        assertThat(gaps).hasSize(1);
    }

    @Test
    void aFileOfSomethingElseIsRefused() throws IOException {
        Files.writeString(folder.resolve("journal"), "somebody else's journal");
        assertThatThrownBy(this::open)
                .isInstanceOf(ForeignSpoolException.class)
                .hasMessageContaining("not written by a spool");
    }

    @Test
    void aRecordThatIsTooLongIsRefusedAndTheNextOneIsRead() throws IOException {
        Journal journal = open();
        journal.rewrite(List.of(), ROOM);
        TopicPartition partition = new TopicPartition("t", 0);
        Stored tooLong = new Stored(1, 0, 0, partition, 1, 1, 1, 1, new byte[Framing.LARGEST_RECORD]);
        assertThatThrownBy(() -> journal.append(List.of(new Settled(8), tooLong), ROOM))
                .isInstanceOf(IOException.class);
        journal.append(List.of(new Settled(9)), ROOM);
        journal.close();
        open().close();
        assertThat(read).containsExactly(new Settled(9));
    }
}
