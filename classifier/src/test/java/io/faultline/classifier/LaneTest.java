package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeavesNoThread.class)
class LaneTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final Lane lane = new Lane("under-test", 4);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        lane.close();
    }

    private void block() {
        try {
            release.await();
        } catch (InterruptedException stranger) {
            throw new AssertionError(stranger);
        }
    }

    /** Makes the lane overdue: somebody waits in vain. */
    private void blockTheLane() {
        assertThat(lane.callAndWait(this::block, Duration.ofMillis(1))).isFalse();
        assertThat(lane.isOverdue()).isTrue();
    }

    @Test
    void callsAreMadeInOrderOneAtATime() {
        List<Integer> made = new CopyOnWriteArrayList<>();
        IntStream.range(0, 100)
                .forEach(number -> assertThat(lane.callAndWait(() -> made.add(number), LONG))
                        .isTrue());
        assertThat(made).isEqualTo(IntStream.range(0, 100).boxed().toList());
        assertThat(lane.lost() + lane.thrown()).isZero();
    }

    @Test
    void aCallThatThrowsHasEndedInTime() {
        assertThat(lane.callAndWait(
                        () -> {
                            throw new StackOverflowError();
                        },
                        LONG))
                .isTrue();
        assertThat(lane.callAndWait(() -> {}, LONG)).isTrue();
        assertThat(lane.thrown()).isOne();
    }

    @Test
    void anOverdueLaneIsNotWaitedForAndServesAgainWhenItCan() {
        blockTheLane();
        List<String> made = new CopyOnWriteArrayList<>();
        assertThat(lane.callAndWait(() -> made.add("queued"), LONG)).isFalse();
        release.countDown();
        RunningClassifier.until("serves again", () -> !lane.isOverdue());
        assertThat(lane.callAndWait(() -> made.add("waited for"), LONG)).isTrue();
        assertThat(made).containsExactly("queued", "waited for");
    }

    @Test
    void aFullQueueRefuses() {
        blockTheLane();
        AtomicInteger made = new AtomicInteger();
        IntStream.range(0, 10).forEach(number -> lane.offer(made::incrementAndGet));
        assertThat(lane.lost()).isEqualTo(6);
        release.countDown();
        RunningClassifier.until("the queued ones", () -> made.get() == 4);
    }

    @Test
    void closingForgetsTheQueuedAndTakesNoMore() {
        blockTheLane();
        AtomicInteger made = new AtomicInteger();
        lane.offer(made::incrementAndGet);
        lane.close();
        assertThat(lane.offer(made::incrementAndGet)).isFalse();
        release.countDown();
        RunningClassifier.until("end", () -> !lane.isBusy());
        assertThat(made).hasValue(0);
    }

    @Test
    void finishingMakesTheQueuedAndTakesNoMore() {
        blockTheLane();
        AtomicInteger made = new AtomicInteger();
        lane.offer(made::incrementAndGet);
        lane.finish();
        assertThat(lane.offer(made::incrementAndGet)).isFalse();
        release.countDown();
        RunningClassifier.until("end", () -> !lane.isBusy());
        assertThat(made).hasValue(1);
    }

    @Test
    void aMarkThatACallLeavesIsNotFoundByTheNext() {
        List<Boolean> marks = new CopyOnWriteArrayList<>();
        // Queued one behind the other: waiting for the next call would take the mark away.
        blockTheLane();
        lane.offer(() -> Thread.currentThread().interrupt());
        lane.offer(() -> marks.add(Thread.currentThread().isInterrupted()));
        release.countDown();
        RunningClassifier.until("both", () -> marks.size() == 1);
        assertThat(marks).containsExactly(false);
    }

    @Test
    void aMarkOnTheCallersThreadIsKeptAndDoesNotCutTheWaitShort() {
        Thread.currentThread().interrupt();
        assertThat(lane.callAndWait(() -> {}, LONG)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void theThreadEndsWhenThereIsNoWorkAndIsMadeAgain() {
        lane.callAndWait(() -> {}, LONG);
        assertThat(lane.isBusy()).isTrue();
        RunningClassifier.until("idle end", () -> !lane.isBusy());
        assertThat(lane.callAndWait(() -> {}, LONG)).isTrue();
    }
}
