package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Re-reads take no more of a disk than they are allowed. Only lower bounds of time are asserted: a busy machine is slower. */
@ExtendWith(LeavesNoThread.class)
class ReadBudgetTest {

    private static final int MIB = 1 << 20;

    @AfterEach
    void clearMark() {
        Thread.interrupted();
    }

    private static Duration takes(ReadBudget budget, int... slices) {
        long began = System.nanoTime();
        for (int slice : slices) {
            assertThat(budget.take(slice, () -> false)).isTrue();
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Test
    void oneSecondsWorthAndOneSliceComeAtOnceAndTheRestInProportion() {
        // At 20 MiB/s: 21 MiB at once, after which 20 slices wait for 50 ms each.
        ReadBudget budget = new ReadBudget(() -> 20L * MIB);
        takes(budget, 20 * MIB, MIB);
        assertThat(takes(budget, MIB, MIB, MIB, MIB, MIB, MIB, MIB, MIB)).isGreaterThan(Duration.ofMillis(390));
    }

    @Test
    void aTinyBudgetStillLetsASliceThrough() {
        ReadBudget budget = new ReadBudget(() -> 1);
        takes(budget, MIB);
    }

    @Test
    void waitingEndsWhenItIsAbandoned() {
        ReadBudget budget = new ReadBudget(() -> 1);
        takes(budget, MIB);
        AtomicInteger asked = new AtomicInteger();
        assertThat(budget.take(MIB, () -> asked.incrementAndGet() == 3)).isFalse();
    }

    @Test
    void aStrangersInterruptMarkDoesNotMakeItSpin() {
        ReadBudget budget = new ReadBudget(() -> 1);
        takes(budget, MIB);
        Thread.currentThread().interrupt();
        AtomicInteger asked = new AtomicInteger();
        long began = System.nanoTime();
        budget.take(MIB, () -> asked.incrementAndGet() == 4);
        // Three parks lie between four questions. The first may end at once, for an interrupt leaves a permit.
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(90));
    }

    @Test
    void aLargeRegionIsReadWithinTheBudgetOfItsDirectory(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("segment"), new byte[12 * MIB]);
        try (RunningClassifier running = new RunningClassifier(builder -> builder.bytesPerSecond(8L * MIB));
                FileChannel channel = FileChannel.open(file);
                Peers peers = new Peers()) {
            Classification verdict = running.verdictOn(peers.failedSend(channel, file.toString(), 0, 12 * MIB));
            assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
            // 8 MiB and a slice at once; the last three slices wait for 125 ms each.
            assertThat(verdict.took()).isGreaterThan(Duration.ofMillis(370));
        }
    }

    @Test
    void closingEndsTheWaitForTheBudget(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("segment"), new byte[4 * MIB]);
        try (RunningClassifier running = new RunningClassifier(builder -> builder.bytesPerSecond(1));
                FileChannel channel = FileChannel.open(file);
                Peers peers = new Peers()) {
            running.submit(peers.failedSend(channel, file.toString(), 0, 4 * MIB));
            RunningClassifier.until(
                    "one slice",
                    () -> !running.classifier.directories().isEmpty()
                            && running.status().bytesRead() == MIB);
            running.classifier.close();
            assertThat(running.atRest()).isEqualTo(new Accounts(1, 0, 0, 1, 0, 0));
            assertThat(running.status().bytesRead()).isEqualTo(MIB);
        }
    }
}
