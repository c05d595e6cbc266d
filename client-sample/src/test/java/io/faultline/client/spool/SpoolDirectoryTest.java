package io.faultline.client.spool;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.protocol.BatchBuilder;
import io.faultline.client.protocol.ProducerStamp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is recovered from the files of a spool, also where they are not as they were written. */
class SpoolDirectoryTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final Attempt FIRST = attempt((short) 0);
    private static final Attempt NEXT_EPOCH = attempt((short) 1);

    @TempDir
    Path folder;

    private SpoolDirectory open() {
        return new SpoolDirectory(
                new SpoolConfig(folder, 1 << 30, SpoolSync.NONE, Duration.ofDays(1), Duration.ofSeconds(10)));
    }

    private static Attempt attempt(short epoch) {
        return new Attempt("cluster", Uuid.ONE_UUID, new ProducerStamp(7, epoch, 0), 5);
    }

    private static Unstored batch(String value, Attempt attempt) {
        BatchBuilder builder = new BatchBuilder(ByteBuffer.allocate(1_000), Compression.NONE);
        builder.append(0, null, value.getBytes(StandardCharsets.UTF_8), new Header[0]);
        ByteBuffer bytes = builder.build();
        return new Unstored(PARTITION, 1, bytes, attempt);
    }

    /** Three batches in the order in which they were accepted: one that was sent, and two that were not. */
    private List<SpoolEntry> store(SpoolDirectory directory) throws IOException {
        return Stream.of(batch("one", FIRST), batch("two", null), batch("three", null))
                .map(each -> {
                    try {
                        return directory.store(List.of(each), 1_000).get(0);
                    } catch (IOException failure) {
                        throw new AssertionError(failure);
                    }
                })
                .toList();
    }

    private Path journal() {
        return folder.resolve("journal");
    }

    /** Where the journal ends, but for the room that was made ahead. */
    private int endOfJournal() throws IOException {
        byte[] bytes = Files.readAllBytes(journal());
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private void damage(Path file, int position) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[position] ^= 1;
        Files.write(file, bytes);
    }

    private List<Recovered> reopen() throws IOException {
        SpoolDirectory directory = open();
        try {
            return directory.verify(directory.open());
        } finally {
            directory.close();
        }
    }

    private static List<Long> ids(List<Recovered> found) {
        return found.stream().map(each -> each.entry().id()).toList();
    }

    @Test
    void whatIsNotSettledIsThereWithWhatIsKnownOfIt() throws IOException {
        SpoolDirectory directory = open();
        assertThat(directory.open()).isEmpty();
        List<SpoolEntry> stored = store(directory);
        directory.settle(stored.get(1));
        directory.undecided(stored.get(2), "why");
        directory.close();
        List<Recovered> found = reopen();
        assertThat(ids(found)).containsExactly(0L, 2L);
        assertThat(found).extracting(Recovered::attempt).containsExactly(FIRST, null);
        assertThat(found).extracting(Recovered::undecided).containsExactly(null, "why");
        assertThat(found).extracting(Recovered::damage).containsOnlyNulls();
    }

    @Test
    void theNumbersOfAnEarlierEpochAreVoidOnceAPartitionIsNumberedAnew() throws IOException {
        SpoolDirectory directory = open();
        directory.open();
        List<SpoolEntry> stored = store(directory);
        directory.stamp(stored.get(1), NEXT_EPOCH);
        directory.close();
        assertThat(reopen()).extracting(Recovered::attempt).containsExactly(null, NEXT_EPOCH, null);
    }

    @Test
    void anIdIsNeverGivenTwiceEvenIfEverythingIsSettled() throws IOException {
        SpoolDirectory first = open();
        first.open();
        for (SpoolEntry each : store(first)) {
            first.settle(each);
        }
        first.close();
        reopen();
        SpoolDirectory second = open();
        assertThat(second.open()).isEmpty();
        assertThat(store(second)).extracting(SpoolEntry::id).containsExactly(3L, 4L, 5L);
        second.close();
    }

    @Test
    void whatADamagedJournalMayHaveToldOfIsUndecidedAndWhatFollowsIsKnown() throws IOException {
        SpoolDirectory directory = open();
        directory.open();
        SpoolEntry before =
                directory.store(List.of(batch("before", null)), 1_000).get(0);
        int gap = endOfJournal();
        directory.stamp(before, FIRST); // is lost
        directory.store(List.of(batch("behind", null)), 1_000);
        directory.close();
        damage(journal(), gap + 20);
        List<Recovered> found = reopen();
        assertThat(ids(found)).containsExactly(0L, 1L);
        assertThat(found.get(0).undecided()).contains("journal of the spool is damaged");
        assertThat(found.get(1).undecided()).isNull();
        assertThat(reopen().get(0).undecided()).isEqualTo(found.get(0).undecided());
    }

    @Test
    void whatIsToldAgainBehindTheDamageIsKnown() throws IOException {
        SpoolDirectory directory = open();
        directory.open();
        List<SpoolEntry> stored = store(directory);
        int gap = endOfJournal();
        directory.stamp(stored.get(1), FIRST); // is lost
        directory.stamp(stored.get(0), NEXT_EPOCH);
        directory.settle(stored.get(2));
        directory.close();
        damage(journal(), gap + 20);
        List<Recovered> found = reopen();
        assertThat(ids(found)).containsExactly(0L, 1L);
        assertThat(found.get(0).undecided()).isNull();
        assertThat(found.get(0).attempt()).isEqualTo(NEXT_EPOCH);
        assertThat(found.get(1).undecided()).isNotNull();
    }

    @Test
    void aBatchWhoseEntryInTheJournalIsDamagedIsFoundInItsSegment() throws IOException {
        SpoolDirectory directory = open();
        directory.open();
        directory.store(List.of(batch("first", null)), 1_000);
        int gap = endOfJournal();
        directory.store(List.of(batch("not listed", null)), 1_000);
        directory.store(List.of(batch("behind", null)), 1_000);
        directory.close();
        damage(journal(), gap + 20);
        List<Recovered> found = reopen();
        assertThat(ids(found)).containsExactly(0L, 1L, 2L);
        assertThat(found.get(1).undecided()).contains("journal of the spool is damaged");
        assertThat(found.get(1).damage()).isNull();
        assertThat(found.get(2).undecided()).isNull();
    }

    @Test
    void batchesThatWereSettledLongAgoAreNotFoundAgainInTheirSegment() throws IOException {
        SpoolDirectory first = open();
        first.open();
        first.settle(store(first).get(0));
        first.close();
        reopen(); // writes the journal anew, without a word about the one that is settled
        SpoolDirectory second = open();
        second.open();
        int gap = endOfJournal();
        second.store(List.of(batch("four", null)), 1_000);
        second.store(List.of(batch("five", null)), 1_000);
        second.close();
        damage(journal(), gap + 20);
        assertThat(ids(reopen())).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void withoutAJournalEverythingInTheSegmentsIsUndecided() throws IOException {
        SpoolDirectory directory = open();
        directory.open();
        store(directory);
        directory.close();
        Files.delete(journal());
        List<Recovered> found = reopen();
        assertThat(ids(found)).containsExactly(0L, 1L, 2L);
        assertThat(found).extracting(Recovered::undecided).doesNotContainNull();
        assertThat(found).extracting(Recovered::damage).containsOnlyNulls();
    }

    @Test
    void batchesOfASegmentThatIsMissingAreUndecided() throws IOException {
        SpoolDirectory directory = open();
        directory.open();
        store(directory);
        directory.close();
        Files.delete(Segment.file(folder, 0));
        assertThat(reopen()).extracting(Recovered::undecided).hasSize(3).allMatch(why -> why.contains("missing"));
        assertThat(reopen()).hasSize(3);
    }

    @Test
    void aSegmentThatIsMissingIsNeverTakenForANewOne() throws IOException {
        SpoolDirectory directory = open();
        directory.open();
        store(directory);
        directory.close();
        Files.delete(Segment.file(folder, 0));
        SpoolDirectory next = open();
        next.open();
        assertThat(store(next)).allMatch(each -> each.location().segment().number() == 1);
        next.close();
    }

    @ParameterizedTest
    @EnumSource(SpoolSync.class)
    void whatIsSettledGoesFromTheDisk(SpoolSync sync) throws IOException {
        SpoolDirectory directory =
                new SpoolDirectory(new SpoolConfig(folder, 1 << 30, sync, Duration.ofDays(1), Duration.ofSeconds(10)));
        directory.open();
        for (SpoolEntry each : store(directory)) {
            directory.settle(each);
        }
        assertThat(directory.bytes()).isZero();
        assertThat(Segment.file(folder, 0)).doesNotExist();
        directory.close();
    }
}
