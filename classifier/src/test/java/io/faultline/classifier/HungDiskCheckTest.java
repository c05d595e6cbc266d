package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.disk.HungDisk;
import io.faultline.disk.NeedsHungDisk;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A disk that stops answering, or vanishes, while its region is read again: a FUSE file system whose process is stopped or killed. */
@NeedsHungDisk
@ExtendWith(LeavesNoThread.class)
class HungDiskCheckTest {

    private static final int SLICE = 1 << 20;
    private static final int SIZE = 3 * SLICE;
    private static final int OTHER_DIRECTORIES = 32;

    private final List<FileChannel> opened = new ArrayList<>();
    private HungDisk disk;
    private Path segment;
    private FailedTransfer failure;
    private FileChannel host;
    private Peers peers;

    @BeforeEach
    void failASend(HungDisk ownDisk) throws IOException {
        disk = ownDisk;
        peers = new Peers();
        segment = Files.write(disk.directory().resolve("segment"), new byte[SIZE]);
        host = open(segment);
        failure = peers.failedSend(host, segment.toString(), 0, SIZE);
        disk.dropCache(segment);
    }

    @AfterEach
    void close() throws IOException {
        peers.close();
        for (FileChannel channel : opened) {
            channel.close();
        }
    }

    private FileChannel open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        opened.add(channel);
        return channel;
    }

    private DirectoryStatus statusOfDisk(RunningClassifier running) {
        return running.status(disk.directory().toString());
    }

    private void awaitHangingCheck(RunningClassifier running) {
        RunningClassifier.until(
                "the re-read hangs",
                () -> running.hasDirectory(disk.directory().toString())
                        && statusOfDisk(running).running()
                        && statusOfDisk(running).runningFor().compareTo(Duration.ofMillis(50)) > 0);
    }

    @Test
    void aHungReReadHoldsUpItsOwnDirectoryOnlyAndItsAgeIsSeen(@TempDir Path others) throws Exception {
        List<FailedTransfer> ofOthers = new ArrayList<>();
        String[] roots = new String[OTHER_DIRECTORIES];
        for (int number = 0; number < OTHER_DIRECTORIES; number++) {
            Path directory = Files.createDirectory(others.resolve("d" + number));
            Path file = Files.write(directory.resolve("segment"), new byte[SIZE]);
            roots[number] = directory.toString();
            ofOthers.add(peers.failedSend(open(file), file.toString(), 0, SIZE));
        }
        try (RunningClassifier running = new RunningClassifier(builder -> builder.roots(roots))) {
            disk.hang();
            running.submit(failure);
            awaitHangingCheck(running);
            ofOthers.forEach(running::submit);
            for (FailedTransfer ofOther : ofOthers) {
                assertThat(running.awaitVerdictOn(ofOther).verdict()).isEqualTo(Verdict.SOCKET);
            }
            DirectoryStatus status = statusOfDisk(running);
            assertThat(status.running()).isTrue();
            assertThat(status.pending()).isOne();
            assertThat(status.oldest()).isGreaterThanOrEqualTo(status.runningFor());
            assertThat(running.verdictsOn(failure)).isEmpty();
            disk.resume();
            assertThat(running.awaitVerdictOn(failure).verdict()).isEqualTo(Verdict.SOCKET);
            running.atRest();
            assertThat(statusOfDisk(running).running()).isFalse();
            assertThat(statusOfDisk(running).runningFor()).isZero();
        }
    }

    @Test
    void theHostClosesItsChannelAtOnceThoughTheDiskHangsWhenItIsOpenedAgain() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            disk.hang();
            running.submit(failure);
            awaitHangingCheck(running);
            closeHostInTime();
            assertThat(statusOfDisk(running).running()).isTrue();
            disk.resume();
            running.atRest();
        }
    }

    @Test
    void theHostClosesItsChannelAtOnceThoughAReadHangs() throws Exception {
        // The budget is spent after the first slice, so the disk can be hung between two reads.
        try (RunningClassifier running = new RunningClassifier(builder -> builder.bytesPerSecond(SLICE / 2))) {
            running.submit(failure);
            RunningClassifier.until(
                    "one slice",
                    () -> running.hasDirectory(disk.directory().toString())
                            && statusOfDisk(running).bytesRead() == SLICE);
            disk.hang();
            RunningClassifier.until("a read hangs", () -> disk.waitingCalls() > 0);
            closeHostInTime();
            assertThat(statusOfDisk(running).running()).isTrue();
            disk.resume();
            running.classifier.close();
        }
    }

    private void closeHostInTime() throws Exception {
        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
            try {
                host.close();
            } catch (IOException unexpected) {
                throw new AssertionError(unexpected);
            }
        });
        try {
            closing.get(5, TimeUnit.SECONDS);
        } finally {
            if (!closing.isDone()) {
                disk.resume(); // or the end of the test would hang as well
            }
        }
    }

    @Test
    void aReadThatFailedByItselfIsJudgedWhileTheReReadHangs() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            disk.hang();
            running.submit(failure);
            awaitHangingCheck(running);
            IOException seen = new IOException("Input/output error");
            Classification verdict =
                    running.verdictOn(FailedTransfer.ofRead(host, segment.toString(), 4_096, 100, seen));
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.reason()).isEqualTo(Reason.READ_FAILED_IN_TRANSFER);
            assertThat(verdict.mount().point()).isEqualTo(disk.directory().toString());
            assertThat(statusOfDisk(running).running()).isTrue();
            disk.resume();
            running.atRest();
        }
    }

    @Test
    void closingTheClassifierMeanwhileLeavesEveryChannelOpenAndEndsWithTheDisk() throws Exception {
        RunningClassifier running = new RunningClassifier();
        FileChannel another = open(segment);
        disk.hang();
        running.submit(failure);
        awaitHangingCheck(running);
        running.submit(FailedTransfer.ofTransfer(another, segment.toString(), 0, SIZE, null, failure.failure()));
        running.classifier.close();
        assertThat(running.classifier.isBusy()).isTrue();
        assertThat(host.isOpen()).isTrue();
        assertThat(another.isOpen()).isTrue();
        disk.resume();
        running.close();
        assertThat(running.classifier.isBusy()).isFalse();
        assertThat(running.atRest()).isEqualTo(new Accounts(2, 0, 0, 2, 0, 0));
        assertThat(host.isOpen()).isTrue();
        assertThat(another.isOpen()).isTrue();
        assertThat(host.size()).isEqualTo(SIZE);
    }

    @Test
    void aDiskThatVanishesWhileItsReReadHangsIsAFailedDisk() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            disk.hang();
            running.submit(failure);
            awaitHangingCheck(running);
            disk.vanish();
            assertThat(running.awaitVerdictOn(failure).verdict()).isEqualTo(Verdict.DISK);
        }
    }

    @Test
    void aVanishedDiskIsAFailedDisk() throws Exception {
        disk.vanish();
        try (RunningClassifier running = new RunningClassifier();
                SocketChannel socket = peers.reading()) {
            FailedTransfer seen = Peers.failedTransfer(host, segment.toString(), 0, SIZE, socket);
            Classification verdict = running.verdictOn(seen);
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            assertThat(verdict.reason()).isEqualTo(Reason.READ_FAILED);
            assertThat(verdict.unreadableAt()).hasValue(0);
            assertThat(verdict.readFailure()).hasMessage("Transport endpoint is not connected");
        }
    }
}
