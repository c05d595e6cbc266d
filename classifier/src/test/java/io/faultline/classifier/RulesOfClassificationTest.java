package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The rules of classification, one by one. Other classes of this package go into each of them. */
@ExtendWith(LeavesNoThread.class)
class RulesOfClassificationTest {

    private static final int SIZE = 300_000;

    @TempDir
    private Path directory;

    private Path file;
    private Peers peers;

    @BeforeEach
    void writeFile() throws IOException {
        file = Files.write(directory.resolve("segment"), new byte[SIZE]);
        peers = new Peers();
    }

    @AfterEach
    void close() throws IOException {
        peers.close();
    }

    @Test
    void rule1TheCallersExceptionIsHandedOnAsItIsAndItsThreadDoesNoIo() throws Exception {
        try (RunningClassifier running = new RunningClassifier();
                ObservedChannel channel = new ObservedChannel(file)) {
            FailedTransfer failure = peers.failedSend(channel, file.toString(), 0, SIZE);
            StackTraceElement[] trace = failure.failure().getStackTrace();
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.transferFailure()).isSameAs(failure.failure());
            assertThat(failure.failure().getStackTrace()).isEqualTo(trace);
            assertThat(failure.failure().getSuppressed()).isEmpty();
            assertThat(channel.calls).containsExactlyInAnyOrder("transferTo", "read at");
            assertThat(channel.readers).doesNotContain(Thread.currentThread()).hasSize(1);
        }
    }

    @Test
    void rule2OnlyWhatMayHaveReadTheFileIsHandedOver() {
        assertThat(FailedTransfer.isWorthACheck(new IOException("Broken pipe"))).isTrue();
        assertThat(FailedTransfer.isWorthACheck(new FileNotFoundException())).isTrue();
        assertThat(FailedTransfer.isWorthACheck(new InternalError())).isTrue();
        assertThat(FailedTransfer.isWorthACheck(new ClosedChannelException())).isFalse();
        assertThat(FailedTransfer.isWorthACheck(new AsynchronousCloseException()))
                .isFalse();
        assertThat(FailedTransfer.isWorthACheck(new ClosedByInterruptException()))
                .isFalse();
        assertThat(FailedTransfer.isWorthACheck(new IllegalArgumentException())).isFalse();
        assertThat(FailedTransfer.isWorthACheck(new OutOfMemoryError())).isFalse();
        assertThat(FailedTransfer.isWorthACheck(null)).isFalse();
    }

    @Test
    @NeedsFailingDisk
    void rule3TheWholeRegionIsReadWhateverTheTextSays(FailingDisk disk) throws Exception {
        Path segment = Files.write(disk.directory().resolve("segment"), new byte[1 << 20]);
        disk.poison(segment, (1 << 20) - 1, 1);
        try (RunningClassifier running = new RunningClassifier(builder -> builder.hints(FailureHints.learn()));
                FileChannel channel = FileChannel.open(segment)) {
            // The peer had gone, and the text says so; the last block is bad all the same.
            Classification verdict = running.verdictOn(peers.failedSend(channel, segment.toString(), 0, 1 << 20));
            assertThat(verdict.hint()).isIn(Hint.CONNECTION_RESET, Hint.BROKEN_PIPE);
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.unreadableAt()).hasValue((1 << 20) - 4_096);
        }
    }

    @Test
    void rule4OnlyPlainPositionalReadsProveAndTheHostsChannelIsNotReadThroughWhereItNeedNotBe() throws Exception {
        try (RunningClassifier running = new RunningClassifier();
                ObservedChannel through = new ObservedChannel(file);
                FileChannel plain = FileChannel.open(file)) {
            running.verdictOn(peers.failedSend(through, file.toString(), 0, SIZE));
            assertThat(through.calls).containsExactlyInAnyOrder("transferTo", "read at");
            assertThat(through.isOpen()).isTrue();
            running.verdictOn(peers.failedSend(plain, file.toString(), 0, SIZE));
            assertThat(plain.isOpen()).isTrue();
            assertThat(plain.position()).isZero();
        }
    }

    @Test
    void rule5TheOutcomeOfTheReadGivesTheVerdict() throws Exception {
        // OutcomeTest has a test for each row; here they are one after the other in one classifier.
        List<Reason> reasons = new ArrayList<>();
        try (RunningClassifier running = new RunningClassifier();
                FileChannel channel = FileChannel.open(file);
                FileChannel failing = FileChannel.open(directory)) {
            FailedTransfer send = peers.failedSend(channel, file.toString(), 0, SIZE);
            reasons.add(running.verdictOn(send).reason());
            FailedTransfer beyond = FailedTransfer.ofTransfer(
                    channel, file.toString(), 0, SIZE + 1, send.target(), new IOException("beyond"));
            reasons.add(running.verdictOn(beyond).reason());
            reasons.add(running.verdictOn(FailedTransfer.ofTransfer(
                            failing, directory.toString(), 0, 1, null, new IOException("failing")))
                    .reason());
        }
        assertThat(reasons).containsExactly(Reason.REGION_READABLE, Reason.END_OF_FILE, Reason.READ_FAILED);
    }

    @Test
    void rule6AReadThatFailedByItselfNeedsNoFurtherOne() throws Exception {
        try (RunningClassifier running = new RunningClassifier();
                ObservedChannel channel = new ObservedChannel(file)) {
            Classification verdict = running.verdictOn(
                    FailedTransfer.ofRead(channel, file.toString(), 0, SIZE, new IOException("while it was read")));
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.reason()).isEqualTo(Reason.READ_FAILED_IN_TRANSFER);
            assertThat(verdict.targetKind()).isEqualTo(TargetKind.TLS);
            assertThat(channel.calls).isEmpty();
        }
    }

    @Test
    void rule7FailuresThatArriveDuringACheckAreKeptAndEachGetsItsOwnVerdict() throws Exception {
        try (RunningClassifier running = new RunningClassifier();
                GatedChannel held = new GatedChannel(file);
                FileChannel failing = FileChannel.open(directory)) {
            FailedTransfer harmless = peers.failedSend(held, file.toString(), 0, SIZE);
            running.submit(harmless);
            held.awaitRead();
            FailedTransfer real = FailedTransfer.ofTransfer(
                    failing, directory.resolve("x").toString(), 0, 1, null, new IOException("real"));
            running.submit(real);
            held.open();
            assertThat(running.awaitVerdictOn(harmless).verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(running.awaitVerdictOn(real).verdict()).isEqualTo(Verdict.DISK);
            assertThat(running.atRest()).isEqualTo(new Accounts(2, 2, 0, 0, 0, 0));
        }
    }

    @Test
    void rule8ThereIsNoCheckInADirectoryThatIsOfflineAndOneAgainWhenItIsBack() throws Exception {
        RecordingOwner owner = new RecordingOwner(directory.toString());
        owner.offline.add(directory.toString());
        try (RunningClassifier running = new RunningClassifier();
                ObservedChannel channel = new ObservedChannel(file)) {
            running.feed.register(owner);
            running.submit(peers.failedSend(channel, file.toString(), 0, SIZE));
            assertThat(running.atRest().skipped()).isOne();
            assertThat(channel.readers).isEmpty();
            owner.offline.clear();
            assertThat(running.verdictOn(peers.failedSend(channel, file.toString(), 0, SIZE))
                            .verdict())
                    .isEqualTo(Verdict.SOCKET);
        }
    }

    @Test
    void rule9DetachingInTheMiddleOfACheckLeavesTheHostsChannelOpen() throws Exception {
        RunningClassifier running = new RunningClassifier(builder -> builder.descriptors(HostDescriptors.unknown()));
        // Its gate fails the test where the thread that waits there is interrupted.
        GatedChannel held = new GatedChannel(file);
        try (held) {
            running.submit(peers.failedSend(held, file.toString(), 0, SIZE));
            held.awaitRead();
            running.classifier.close();
            assertThat(running.classifier.isBusy()).isTrue();
            held.open();
            running.close();
            assertThat(held.isOpen()).isTrue();
            assertThat(held.read(ByteBuffer.allocate(1), 0)).isOne();
            assertThat(running.atRest()).isEqualTo(new Accounts(1, 0, 0, 1, 0, 0));
        }
    }

    @Test
    void rule10AHintIsRecordedBesideTheVerdictAndTakesNothingOffline() throws Exception {
        RecordingOwner owner = new RecordingOwner(directory.toString());
        FailureHints hints = FailureHints.learn();
        try (RunningClassifier running = new RunningClassifier(builder -> builder.hints(hints));
                FileChannel channel = FileChannel.open(file);
                SocketChannel gone = peers.gone()) {
            running.feed.register(owner);
            IOException media = new IOException(hints.mediaError());
            Classification verdict =
                    running.verdictOn(FailedTransfer.ofTransfer(channel, file.toString(), 0, SIZE, gone, media));
            assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(verdict.hint()).isEqualTo(Hint.MEDIA_ERROR);
            assertThat(verdict.suspectedTransient()).isTrue();
            assertThat(verdict.action()).isEqualTo(OwnerAction.NONE);
            assertThat(owner.told).isEmpty();
        }
    }

    @Test
    void rule11TheDirectoryIsFoundByNameAndTheDiskBelowItIsNamed() throws Exception {
        RecordingOwner owner = new RecordingOwner("/surely/not/there", directory.toString());
        try (RunningClassifier running = new RunningClassifier();
                FileChannel channel = FileChannel.open(file)) {
            running.feed.register(owner);
            Classification verdict = running.verdictOn(FailedTransfer.ofRead(
                    channel, "/surely/not/there/0.log", 0, 1, new IOException("of a file that is not there")));
            assertThat(verdict.directory()).isEqualTo("/surely/not/there");
            assertThat(verdict.owner()).isEqualTo("test-owner");
            assertThat(verdict.action()).isEqualTo(OwnerAction.FED);
            Mount mount = new MountTable().mountOf(file.toRealPath().toString());
            assertThat(verdict.mount()).isEqualTo(mount);
            assertThat(mount.device()).isNotEmpty();
            assertThat(mount.fileSystemType()).isNotEmpty();
        }
    }
}
