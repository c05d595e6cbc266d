package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One block of a real file system that really cannot be read, wherever it lies in the region of a failed transfer. */
@NeedsFailingDisk
@ExtendWith(LeavesNoThread.class)
class BadBlockTest {

    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final int PAGE = 4 * KIB;

    /** The middle of a file of 65 MiB. */
    private static final long BAD = 33L * MIB + 5 * PAGE;

    private static final long BAD_FAR_OUT = (1L << 31) + BAD;
    private static final int SIZE = 65 * MIB;

    private static FailingDisk disk;
    private static Path segment;
    private static Path sparse;
    private static Peers peers;

    private RunningClassifier running;

    @BeforeAll
    static void spoilOneBlock(FailingDisk ownDisk) throws IOException {
        disk = ownDisk;
        peers = new Peers();
        segment = written("segment", 0);
        sparse = written("sparse", 1L << 31);
        disk.poison(segment, BAD, 1);
        disk.poison(sparse, BAD_FAR_OUT, 1);
    }

    private static Path written(String name, long position) throws IOException {
        Path file = disk.directory().resolve(name);
        ByteBuffer content = ByteBuffer.allocate(SIZE);
        while (content.hasRemaining()) {
            content.putInt(content.position());
        }
        content.flip();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (content.hasRemaining()) {
                channel.write(content, position + content.position());
            }
        }
        return file;
    }

    @AfterAll
    static void closePeers() throws IOException {
        peers.close();
    }

    @BeforeEach
    void start() {
        running = new RunningClassifier();
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private static Stream<Arguments> regions() {
        List<Arguments> regions = new ArrayList<>();
        for (long bad : new long[] {BAD, BAD_FAR_OUT}) {
            for (long count : new long[] {4 * KIB, 12 * KIB, 64 * KIB, MIB + 1, 8 * MIB, 32 * MIB}) {
                regions.add(arguments("first page", bad, bad, count));
                regions.add(arguments("first page, unaligned", bad, bad + 777, count));
                regions.add(arguments("inside", bad, bad - count / 2 / PAGE * PAGE, count));
                regions.add(
                        arguments("inside, unaligned", bad, Math.max(bad - count / 2 - 333, bad - count + 1), count));
                regions.add(arguments("last page", bad, bad + PAGE - count, count));
                regions.add(arguments("last page, one byte of it", bad, bad + 1 - count, count));
            }
        }
        regions.add(arguments("64 MiB", BAD, 0L, 64L * MIB));
        return regions.stream();
    }

    @ParameterizedTest(name = "{0}: {2}+{3}")
    @MethodSource("regions")
    void aBadBlockIsFoundWhereItIs(String where, long bad, long position, long count) throws Exception {
        Path file = bad == BAD ? segment : sparse;
        try (FileChannel channel = FileChannel.open(file);
                SocketChannel socket = peers.reading()) {
            FailedTransfer failure = Peers.failedTransfer(channel, file.toString(), position, count, socket);
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.reason()).isEqualTo(Reason.READ_FAILED);
            assertThat(verdict.unreadableAt()).hasValue(Math.max(bad, position));
            assertThat(verdict.readFailure()).hasMessage("Input/output error");
        }
    }

    @ParameterizedTest(name = "{0}: {2}+{3}")
    @MethodSource("regions")
    void aBadBlockIsFoundThroughTheHostsChannelToo(String where, long bad, long position, long count) throws Exception {
        Path file = bad == BAD ? segment : sparse;
        try (FileChannel channel = FileChannel.open(file);
                RunningClassifier fallback =
                        new RunningClassifier(builder -> builder.descriptors(HostDescriptors.unknown()))) {
            // The peer went away meanwhile; the disk is no better for it.
            Classification verdict = fallback.verdictOn(peers.failedSend(channel, file.toString(), position, count));
            assertThat(verdict.reason()).isEqualTo(Reason.READ_FAILED);
            assertThat(verdict.unreadableAt()).hasValue(Math.max(bad, position));
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    void aBadBlockIsFoundWhateverTheCountOfTheTransfer() throws Exception {
        try (FileChannel channel = FileChannel.open(segment);
                SocketChannel socket = peers.reading()) {
            FailedTransfer failure =
                    Peers.failedTransfer(channel, segment.toString(), BAD - MIB, Long.MAX_VALUE, socket);
            assertThat(failure.region()).isEqualTo(new Region(BAD - MIB, Region.MOST_IN_ONE_TRANSFER));
            assertThat(running.verdictOn(failure).unreadableAt()).hasValue(BAD);
        }
    }

    @Test
    void theBlocksAroundABadOneAreReadable() throws Exception {
        try (FileChannel channel = FileChannel.open(segment)) {
            for (long position : new long[] {BAD - MIB, BAD + PAGE}) {
                FailedTransfer failure = peers.failedSend(channel, segment.toString(), position, MIB);
                assertThat(running.verdictOn(failure).verdict()).isEqualTo(Verdict.SOCKET);
            }
        }
    }

    @Test
    void oneBadBlockGivesEachTransferItsOwnVerdict() throws Exception {
        Path gate = Files.write(disk.directory().resolve("gate"), new byte[1]);
        try (FileChannel channel = FileChannel.open(segment);
                GatedChannel held = new GatedChannel(gate)) {
            FailedTransfer first = peers.failedSend(held, gate.toString(), 0, 1);
            running.submit(first);
            held.awaitRead();
            String name = segment.toString();
            // All regions meet, so that one pass would read them, if it could get past the bad block.
            FailedTransfer before = peers.failedSend(channel, name, BAD - MIB, MIB);
            FailedTransfer across = peers.failedSend(channel, name, BAD - PAGE, 2 * MIB);
            FailedTransfer within = peers.failedSend(channel, name, BAD + 10, PAGE);
            FailedTransfer behind = peers.failedSend(channel, name, BAD + PAGE, MIB);
            List.of(before, across, within, behind).forEach(running::submit);
            held.open();
            assertThat(running.awaitVerdictOn(before).verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(running.awaitVerdictOn(across).unreadableAt()).hasValue(BAD);
            assertThat(running.awaitVerdictOn(within).unreadableAt()).hasValue(BAD + 10);
            assertThat(running.awaitVerdictOn(behind).verdict()).isEqualTo(Verdict.SOCKET);
        }
    }

    @Test
    void aBlockThatReadsAgainIsASuspectedTransientAndTakesNothingOffline() throws Exception {
        Path file = written("transient", 0);
        disk.poison(file, 10 * PAGE, 1);
        RecordingOwner owner = new RecordingOwner(disk.directory().toString());
        try (RunningClassifier learned = new RunningClassifier(builder -> builder.hints(FailureHints.learn()));
                FileChannel channel = FileChannel.open(file);
                SocketChannel socket = peers.reading()) {
            learned.feed.register(owner);
            FailedTransfer failure = Peers.failedTransfer(channel, file.toString(), 0, MIB, socket);
            disk.heal(file, 10 * PAGE, 1);
            Classification verdict = learned.verdictOn(failure);
            assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(verdict.hint()).isEqualTo(Hint.MEDIA_ERROR);
            assertThat(verdict.suspectedTransient()).isTrue();
            learned.atRest();
            assertThat(learned.status().suspectedTransient()).isOne();
            assertThat(owner.told).isEmpty();
        }
    }

    @Test
    void aReadThatFailedByItselfIsTheDisksThoughItReadsAgain() throws Exception {
        Path file = written("transient-read", 0);
        disk.poison(file, 10 * PAGE, 1);
        try (FileChannel channel = FileChannel.open(file)) {
            IOException seen = null;
            try {
                channel.read(ByteBuffer.allocate(PAGE), 10 * PAGE);
            } catch (IOException failure) {
                seen = failure;
            }
            disk.heal(file, 10 * PAGE, 1);
            Classification verdict =
                    running.verdictOn(FailedTransfer.ofRead(channel, file.toString(), 10 * PAGE, PAGE, seen));
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.reason()).isEqualTo(Reason.READ_FAILED_IN_TRANSFER);
        }
    }

    @Test
    void theOwnerTakesTheDirectoryOfflineAndTheRestOfThePassIsSkipped() throws Exception {
        RecordingOwner owner = new RecordingOwner(disk.directory().toString());
        running.feed.register(owner);
        Path gate = Files.write(disk.directory().resolve("gate-of-owner"), new byte[1]);
        try (FileChannel channel = FileChannel.open(segment);
                GatedChannel held = new GatedChannel(gate)) {
            running.submit(peers.failedSend(held, gate.toString(), 0, 1));
            held.awaitRead();
            FailedTransfer across = peers.failedSend(channel, segment.toString(), BAD - PAGE, MIB);
            running.submit(across);
            running.submit(peers.failedSend(channel, segment.toString(), BAD + MIB / 2, MIB));
            held.open();
            Classification verdict = running.awaitVerdictOn(across);
            assertThat(verdict.action()).isEqualTo(OwnerAction.FED);
            Accounts accounts = running.atRest();
            assertThat(accounts.skipped()).isOne();
            assertThat(owner.told).hasSize(1);
            assertThat(owner.told.get(0).unreadableAt()).hasValue(BAD);
            assertThat(running.status().actions()).containsOnly(Map.entry(OwnerAction.FED, 1L));
        }
    }

    /** By name: newer compilers warn of every use of the JDK's own options, and cannot be told not to. */
    private static OpenOption direct() throws ReflectiveOperationException {
        return (OpenOption) Class.forName("com.sun.nio.file.ExtendedOpenOption")
                .getField("DIRECT")
                .get(null);
    }

    private static Stream<Arguments> descriptors() {
        return Stream.of(
                arguments("own descriptor", HostDescriptors.find()),
                arguments("host's channel", HostDescriptors.unknown()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("descriptors")
    void directChannelsOfTheHostAreReadWithoutAFalseDisk(String how, HostDescriptors descriptors) throws Exception {
        Path odd = disk.directory().resolve("odd-" + how.length());
        Files.write(odd, new byte[3 * MIB + 1_234]);
        OpenOption[] direct = {StandardOpenOption.READ, direct()};
        try (RunningClassifier own = new RunningClassifier(builder -> builder.descriptors(descriptors));
                FileChannel good = FileChannel.open(odd, direct);
                FileChannel bad = FileChannel.open(segment, direct)) {
            String name = odd.toString();
            // To the odd end of the file, from an odd beginning, and past the end.
            assertThat(own.verdictOn(peers.failedSend(good, name, 0, 3 * MIB + 1_234))
                            .verdict())
                    .isEqualTo(Verdict.SOCKET);
            assertThat(own.verdictOn(peers.failedSend(good, name, 4_097, MIB)).verdict())
                    .isEqualTo(Verdict.SOCKET);
            assertThat(own.verdictOn(peers.failedSend(good, name, 5_000, 4 * MIB))
                            .reason())
                    .isEqualTo(Reason.END_OF_FILE);
            // A direct read of a piece with a bad block fails as a whole; the position is that of the block all the
            // same.
            Classification verdict =
                    own.verdictOn(peers.failedSend(bad, segment.toString(), BAD - 10 * PAGE + 1, 20 * PAGE));
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.unreadableAt()).hasValue(BAD);
        }
    }
}
