package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Every failure that was handed over ends as exactly one of verdict, dropped, expired or skipped. */
@ExtendWith(LeavesNoThread.class)
class AccountsTest {

    private static final int KIB = 1 << 10;
    private static final int SIZE = 1_000 * KIB;

    @TempDir
    private Path directory;

    private Path file;
    private FileChannel channel;
    private GatedChannel held;
    private Peers peers;

    @BeforeEach
    void writeFiles() throws IOException {
        file = Files.write(directory.resolve("segment"), new byte[SIZE]);
        channel = FileChannel.open(file);
        held = new GatedChannel(Files.write(directory.resolve("gate"), new byte[1]));
        peers = new Peers();
    }

    @AfterEach
    void close() throws IOException {
        held.open();
        peers.close();
        channel.close();
        held.close();
    }

    /** Lets a check begin that ends when the gate is opened, so that what comes after it waits. */
    private FailedTransfer holdTheSlot(RunningClassifier running) throws Exception {
        FailedTransfer first = peers.failedSend(held, directory.resolve("gate").toString(), 0, 1);
        running.submit(first);
        held.awaitRead();
        return first;
    }

    private FailedTransfer failedSend(long position, long count) throws IOException {
        return peers.failedSend(channel, file.toString(), position, count);
    }

    private static long queued(RunningClassifier running) {
        return running.status().pending();
    }

    @Test
    void overlappingRegionsAreReadOnceAndEachGetsItsVerdict() throws Exception {
        try (RunningClassifier running = new RunningClassifier();
                FileChannel again = FileChannel.open(file)) {
            holdTheSlot(running);
            List<FailedTransfer> failures = new ArrayList<>();
            for (int begin = 0; begin < 100; begin++) {
                FileChannel either = begin % 2 == 0 ? channel : again;
                failures.add(peers.failedSend(either, file.toString(), 8L * begin * KIB, 64 * KIB));
            }
            failures.forEach(running::submit);
            RunningClassifier.until("all wait", () -> queued(running) == 101);
            long before = running.status().bytesRead();
            held.open();
            for (FailedTransfer failure : failures) {
                assertThat(running.awaitVerdictOn(failure).verdict()).isEqualTo(Verdict.SOCKET);
            }
            assertThat(running.atRest().verdicts()).isEqualTo(101);
            long theGate = 1;
            assertThat(running.status().bytesRead() - before - theGate).isEqualTo((8 * 99 + 64) * KIB);
        }
    }

    @Test
    void overlappingRegionsOfAFileThatTheHostHasClosedAreReadOnce() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            holdTheSlot(running);
            for (int send = 0; send < 20; send++) {
                try (FileChannel perRequest = FileChannel.open(file)) {
                    running.submit(peers.failedSend(perRequest, file.toString(), 0, SIZE));
                }
            }
            RunningClassifier.until("all wait", () -> queued(running) == 21);
            held.open();
            assertThat(running.atRest().verdicts()).isEqualTo(21);
            assertThat(running.status().verdicts())
                    .containsOnlyKeys(new DirectoryStatus.Outcome(Verdict.SOCKET, Reason.REGION_READABLE));
            assertThat(running.status().bytesRead()).isEqualTo(SIZE + 1);
        }
    }

    @Test
    void regionsThatDoNotMeetAreReadForThemselves() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            holdTheSlot(running);
            running.submit(failedSend(0, 4 * KIB));
            running.submit(failedSend(900 * KIB, 4 * KIB));
            RunningClassifier.until("all wait", () -> queued(running) == 3);
            held.open();
            assertThat(running.atRest().verdicts()).isEqualTo(3);
            assertThat(running.status().bytesRead()).isEqualTo(8 * KIB + 1);
        }
    }

    @Test
    void whatFindsTheQueueOfItsDirectoryFullIsDropped() throws Exception {
        try (RunningClassifier running = new RunningClassifier(builder -> builder.queueCapacity(4))) {
            holdTheSlot(running);
            for (int send = 0; send < 10; send++) {
                running.submit(failedSend(send * KIB, KIB));
            }
            RunningClassifier.until("dropped", () -> running.status().dropped() == 7);
            held.open();
            Accounts accounts = running.atRest();
            assertThat(accounts).isEqualTo(new Accounts(11, 4, 7, 0, 0, 0));
        }
    }

    @Test
    void whatFindsTheInboxFullIsDropped() throws Exception {
        CountDownLatch mapped = new CountDownLatch(1);
        LogDirMapping slow = name -> {
            awaitUninterrupted(mapped);
            return new LogDirectory(directory.toString(), null);
        };
        try (RunningClassifier running =
                new RunningClassifier(builder -> builder.mapping(slow).inboxCapacity(3))) {
            for (int send = 0; send < 10; send++) {
                running.submit(failedSend(send * KIB, KIB));
            }
            assertThat(running.classifier.accounts()).isEqualTo(new Accounts(10, 0, 7, 0, 0, 3));
            mapped.countDown();
            assertThat(running.atRest()).isEqualTo(new Accounts(10, 3, 7, 0, 0, 0));
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stranger) {
            throw new AssertionError(stranger);
        }
    }

    @Test
    void whatHasWaitedTooLongExpires() throws Exception {
        try (RunningClassifier running = new RunningClassifier(builder -> builder.longestWait(Duration.ofMillis(1)))) {
            holdTheSlot(running);
            for (int send = 0; send < 5; send++) {
                running.submit(failedSend(send * 100 * KIB, KIB));
            }
            RunningClassifier.until("expired", () -> running.status().expired() == 5);
            held.open();
            assertThat(running.atRest()).isEqualTo(new Accounts(6, 1, 0, 5, 0, 0));
        }
    }

    @Test
    void whatFindsItsDirectoryOfflineIsSkipped() throws Exception {
        RecordingOwner owner = new RecordingOwner(directory.toString());
        owner.offline.add(directory.toString());
        try (RunningClassifier running = new RunningClassifier()) {
            running.feed.register(owner);
            running.submit(failedSend(0, KIB));
            running.submit(FailedTransfer.ofRead(channel, file.toString(), 0, KIB, new IOException("seen")));
            assertThat(running.atRest()).isEqualTo(new Accounts(2, 0, 0, 0, 2, 0));
            assertThat(running.status().bytesRead()).isZero();
            assertThat(running.verdicts).isEmpty();
        }
    }

    @Test
    void aHintOfAMediaErrorIsCheckedFirst() throws Exception {
        FailureHints hints = new FailureHints("a media error", null, null);
        try (RunningClassifier running = new RunningClassifier(builder -> builder.hints(hints))) {
            holdTheSlot(running);
            for (int send = 0; send < 10; send++) {
                running.submit(failedSend(send * 100L * KIB, KIB));
            }
            // No real failure can be had in a healthy file, so the text is made up.
            FailedTransfer urgent = FailedTransfer.ofTransfer(
                    channel, file.toString(), 50 * KIB, KIB, null, new IOException("a media error"));
            running.submit(urgent);
            RunningClassifier.until("all wait", () -> queued(running) == 12);
            held.open();
            running.atRest();
            assertThat(running.verdicts.get(1).transferFailure()).isSameAs(urgent.failure());
            assertThat(running.verdicts.get(1).hint()).isEqualTo(Hint.MEDIA_ERROR);
        }
    }

    @Test
    void whatIsWorthNoCheckIsNotTaken() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            running.submit(null);
            for (Throwable closed : List.of(new ClosedChannelException(), new ClosedByInterruptException())) {
                running.submit(FailedTransfer.ofTransfer(channel, file.toString(), 0, KIB, null, closed));
                running.submit(FailedTransfer.ofRead(channel, file.toString(), 0, KIB, closed));
            }
            assertThat(running.atRest().handedOver()).isZero();
        }
    }

    @Test
    void anInternalErrorIsAReasonToLookAndNoProof() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            // What a mapped transfer throws when the file is truncated under it.
            InternalError mapped = new InternalError("a fault occurred in an unsafe memory access operation");
            Classification verdict =
                    running.verdictOn(FailedTransfer.ofTransfer(channel, file.toString(), 0, KIB, null, mapped));
            assertThat(verdict.reason()).isEqualTo(Reason.REGION_READABLE);
            Classification read = running.verdictOn(
                    FailedTransfer.ofRead(channel, file.toString(), 0, KIB, new InternalError("another")));
            assertThat(read.reason()).isEqualTo(Reason.REGION_READABLE);
        }
    }

    @Test
    void whatWaitsWhenTheClassifierIsClosedExpires() throws Exception {
        RunningClassifier running = new RunningClassifier();
        holdTheSlot(running);
        for (int send = 0; send < 5; send++) {
            running.submit(failedSend(send * 100 * KIB, KIB));
        }
        running.classifier.close();
        running.classifier.close();
        running.submit(failedSend(0, KIB));
        assertThat(running.classifier.isBusy()).isTrue();
        assertThat(running.classifier.accounts().handedOver()).isEqualTo(7);
        held.open();
        running.close();
        assertThat(running.atRest()).isEqualTo(new Accounts(7, 0, 0, 7, 0, 0));
        assertThat(running.verdicts).isEmpty();
        assertThat(held.isOpen()).isTrue();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void theAccountsOutliveTheOwnerOfADirectory() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            RecordingOwner owner = new RecordingOwner(directory.toString());
            Subscription registration = running.feed.register(owner);
            running.verdictOn(failedSend(0, KIB));
            Accounts accounts = running.atRest();
            registration.close();
            RunningClassifier.until(
                    "retirement", () -> running.classifier.directories().isEmpty());
            assertThat(running.atRest()).isEqualTo(accounts);
            // And should it come again, it is served again.
            running.feed.register(owner);
            assertThat(running.verdictOn(failedSend(0, KIB)).owner()).isEqualTo("test-owner");
            assertThat(running.atRest().verdicts()).isEqualTo(2);
        }
    }

    @Test
    void directoriesWithoutNumberAreLumpedTogether() throws Exception {
        try (RunningClassifier running = new RunningClassifier(
                builder -> builder.mapping(name -> new LogDirectory(name, null)).scheduler(check -> {
                    throw new IllegalStateException("no thread for any of these");
                }))) {
            for (int name = 0; name < 1_000; name++) {
                running.submit(
                        FailedTransfer.ofTransfer(channel, "/" + name, 0, KIB, null, new IOException("made up")));
            }
            RunningClassifier.until(
                    "sorted",
                    () -> running.hasDirectory("")
                            && running.classifier.accounts().pending() == 1_000
                            && running.status("").pending() == 1_000 - 256);
            assertThat(running.classifier.directories()).hasSize(257);
        }
    }
}
