package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Each row of the table that says which outcome of the re-read gives which verdict. */
@ExtendWith(LeavesNoThread.class)
class OutcomeTest {

    private static final int SIZE = 300_000;

    @TempDir
    private Path directory;

    private Path file;
    private FileChannel channel;
    private Peers peers;

    @BeforeEach
    void writeFile() throws IOException {
        file = Files.write(directory.resolve("segment"), new byte[SIZE]);
        channel = FileChannel.open(file, StandardOpenOption.READ);
        peers = new Peers();
    }

    @AfterEach
    void close() throws IOException {
        peers.close();
        channel.close();
    }

    private FailedTransfer failedSend() throws IOException {
        return peers.failedSend(channel, file.toString(), 100, SIZE - 100);
    }

    @Test
    void aReadableRegionMeansThatThePeerWentAway() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            FailedTransfer failure = failedSend();
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(verdict.reason()).isEqualTo(Reason.REGION_READABLE);
            assertThat(verdict.transferFailure()).isSameAs(failure.failure());
            assertThat(verdict.region()).isEqualTo(new Region(100, SIZE - 100));
            assertThat(verdict.unreadableAt()).isEmpty();
            assertThat(verdict.targetKind()).isEqualTo(TargetKind.SOCKET);
            assertThat(verdict.file()).isEqualTo(file.toString());
            assertThat(verdict.channel()).isSameAs(channel);
            assertThat(verdict.target()).isSameAs(failure.target());
            assertThat(verdict.mount().point()).isNotEmpty();
        }
    }

    @Test
    void aReadableRegionAndAPipeMeanThatItsReaderWentAway() throws Exception {
        Pipe pipe = Pipe.open();
        pipe.source().close();
        try (RunningClassifier running = new RunningClassifier();
                WritableByteChannel sink = pipe.sink()) {
            Classification verdict = running.verdictOn(Peers.failedTransfer(channel, file.toString(), 0, SIZE, sink));
            assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(verdict.targetKind()).isEqualTo(TargetKind.PIPE);
        }
    }

    @Test
    void aReadableRegionMeansThatATargetThatIsNoSocketFailed() throws Exception {
        // Nothing can be written to this device, for want of space.
        try (RunningClassifier running = new RunningClassifier();
                FileChannel full = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE)) {
            Classification verdict = running.verdictOn(Peers.failedTransfer(channel, file.toString(), 0, SIZE, full));
            assertThat(verdict.verdict()).isEqualTo(Verdict.TARGET);
            assertThat(verdict.reason()).isEqualTo(Reason.REGION_READABLE);
            assertThat(verdict.targetKind()).isEqualTo(TargetKind.FILE);
        }
    }

    @Test
    void endOfFileSaysNothingAboutTheMedium() throws Exception {
        FailedTransfer failure = failedSend();
        Files.write(file, new byte[SIZE / 2]);
        try (RunningClassifier running = new RunningClassifier()) {
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
            assertThat(verdict.reason()).isEqualTo(Reason.END_OF_FILE);
            assertThat(verdict.unreadableAt()).isEmpty();
        }
    }

    @Test
    void noProgressSaysNothingAboutTheMedium() throws Exception {
        // A fake: no real file on Linux returns 0 bytes where more were asked for.
        try (RunningClassifier running = new RunningClassifier();
                FileChannel stuck = new ObservedChannel(file) {
                    @Override
                    public int read(ByteBuffer target, long position) {
                        return 0;
                    }
                }) {
            Classification verdict = running.verdictOn(peers.failedSend(stuck, file.toString(), 0, SIZE));
            assertThat(verdict.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
            assertThat(verdict.reason()).isEqualTo(Reason.NO_PROGRESS);
        }
    }

    @Test
    void aClosedChannelOfAClaimedDirectorySaysNothing() throws Exception {
        FailedTransfer failure = failedSend();
        channel.close();
        try (RunningClassifier running = new RunningClassifier()) {
            running.feed.register(new RecordingOwner(directory.toString()));
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
            assertThat(verdict.reason()).isEqualTo(Reason.CHANNEL_CLOSED);
            assertThat(verdict.file()).isEqualTo(file.toString());
            assertThat(verdict.owner()).isEqualTo("test-owner");
            assertThat(running.status().bytesRead()).isZero();
        }
    }

    @Test
    void aChannelThatIsClosedDuringTheReadSaysNothing() throws Exception {
        try (RunningClassifier running = new RunningClassifier();
                FileChannel closing = new ObservedChannel(file) {
                    @Override
                    void beforeRead(long position) throws IOException {
                        if (position > 0) {
                            close();
                        }
                    }
                }) {
            running.feed.register(new RecordingOwner(directory.toString()));
            Classification verdict = running.verdictOn(peers.failedSend(closing, file.toString(), 0, SIZE));
            assertThat(verdict.reason()).isEqualTo(Reason.CHANNEL_CLOSED);
        }
    }

    @Test
    void aClosedFileOfAnUnclaimedDirectoryIsReadByItsName() throws Exception {
        FailedTransfer failure = failedSend();
        channel.close();
        try (RunningClassifier running = new RunningClassifier()) {
            assertThat(running.verdictOn(failure).verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(running.status().bytesRead()).isGreaterThanOrEqualTo(SIZE - 100);
        }
    }

    @Test
    void aFailingOpenProvesNothing() throws Exception {
        FailedTransfer failure = failedSend();
        channel.close();
        Files.delete(file);
        try (RunningClassifier running = new RunningClassifier()) {
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
            assertThat(verdict.reason()).isEqualTo(Reason.CHANNEL_CLOSED);
        }
    }

    @Test
    void aChannelWhoseNameIsNotKnownCannotBeReadOnceItIsClosed() throws Exception {
        FailedTransfer failure = peers.failedSend(channel, null, 0, SIZE);
        channel.close();
        try (RunningClassifier running = new RunningClassifier()) {
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.reason()).isEqualTo(Reason.CHANNEL_CLOSED);
            assertThat(verdict.file()).isNull();
        }
    }

    @Test
    void aFailingReadIsTheDisksAndBringsTheFailedTransferAlong() throws Exception {
        // A directory can be opened, and reading it fails: a channel that really fails, on every machine.
        try (RunningClassifier running = new RunningClassifier();
                FileChannel failing = FileChannel.open(directory, StandardOpenOption.READ)) {
            IOException seen = new IOException("Input/output error");
            FailedTransfer failure =
                    FailedTransfer.ofTransfer(failing, directory.toString(), 5_000, 10_000, null, seen);
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.reason()).isEqualTo(Reason.READ_FAILED);
            assertThat(verdict.unreadableAt()).hasValue(5_000);
            IOException handedOn = verdict.asException();
            assertThat(handedOn).hasCause(verdict.readFailure()).hasMessageContaining("unreadable at 5000");
            assertThat(handedOn.getCause()).hasMessage("Is a directory");
            assertThat(handedOn.getSuppressed()).containsExactly(seen);
        }
    }

    @Test
    @NeedsFailingDisk
    void aFailingReadByNameIsTheDisks(FailingDisk disk) throws Exception {
        Path segment = disk.directory().resolve("segment");
        Files.write(segment, new byte[SIZE]);
        disk.poison(segment, 40_960, 1);
        FailedTransfer failure;
        try (FileChannel opened = FileChannel.open(segment, StandardOpenOption.READ);
                WritableByteChannel socket = peers.reading()) {
            failure = Peers.failedTransfer(opened, segment.toString(), 0, SIZE, socket);
        }
        try (RunningClassifier running = new RunningClassifier()) {
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.reason()).isEqualTo(Reason.READ_FAILED_BY_PATH);
            assertThat(verdict.unreadableAt()).hasValue(40_960);
            assertThat(verdict.action()).isEqualTo(OwnerAction.NONE);
            assertThat(verdict.mount().point()).isEqualTo(disk.directory().toString());
            assertThat(verdict.mount().fileSystemType()).isEqualTo("btrfs");
            assertThat(verdict.mount().device()).startsWith("/dev/loop");
            assertThat(verdict.directory()).isEqualTo(disk.directory().toString());
            assertThat(verdict.asException().getSuppressed()).containsExactly(failure.failure());
        }
    }

    @Test
    void aReadThatFailedByItselfIsTheDisksAndIsNotReadAgain() throws Exception {
        try (RunningClassifier running = new RunningClassifier();
                ObservedChannel failing =
                        new ObservedChannel(FileChannel.open(directory), new ObservedChannel.Gauge())) {
            IOException seen = null;
            try {
                failing.read(ByteBuffer.allocate(10), 70);
            } catch (IOException failure) {
                seen = failure;
            }
            failing.calls.clear();
            FailedTransfer failure = FailedTransfer.ofRead(failing, file.toString(), 70, 10, seen);
            Classification verdict = running.verdictOn(failure);
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.reason()).isEqualTo(Reason.READ_FAILED_IN_TRANSFER);
            assertThat(verdict.unreadableAt()).hasValue(70);
            assertThat(verdict.readFailure()).isSameAs(seen);
            assertThat(verdict.asException().getSuppressed()).isEmpty();
            assertThat(failing.calls).isEmpty();
            assertThat(running.status().bytesRead()).isZero();
        }
    }
}
