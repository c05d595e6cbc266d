package io.faultline.client.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallbackThreadTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final CallbackThread callbacks = new CallbackThread("test-callbacks");

    @Test
    void whatComesWhileOrAfterItEndsIsCalledAllTheSame() throws InterruptedException {
        AtomicInteger called = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        Thread late = new Thread(
                () -> {
                    for (int index = 0; index < 10_000; index++) {
                        callbacks.execute(called::incrementAndGet);
                        begun.countDown();
                    }
                },
                "test-late");
        late.start();
        begun.await();
        callbacks.endWhenDone();
        await().atMost(PATIENCE)
                .until(() -> !late.isAlive() && !callbacks.thread().isAlive());
        assertThat(called).hasValue(10_000);
    }

    @Test
    void anInterruptDoesNotEndIt() {
        callbacks.thread().interrupt();
        AtomicInteger called = new AtomicInteger();
        callbacks.execute(called::incrementAndGet);
        await().atMost(PATIENCE).until(() -> called.get() == 1);
        callbacks.endWhenDone();
    }

    @Test
    void anInterruptThatACallbackLeavesDoesNotReachTheNext() {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        callbacks.execute(() -> {
            callbacks.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));
            Thread.currentThread().interrupt();
        });
        await().atMost(PATIENCE).until(interrupted::isDone);
        assertThat(interrupted).isCompletedWithValue(false);
        callbacks.endWhenDone();
    }

    @Test
    void whatIsExpectedAndDoesNotComeIsNotWaitedForLong() {
        callbacks.expect();
        await().atMost(PATIENCE).until(() -> callbacks.thread().getState() == Thread.State.WAITING);
        AtomicInteger called = new AtomicInteger();
        callbacks.execute(called::incrementAndGet);
        await().atMost(PATIENCE).until(() -> called.get() == 1);
        callbacks.endWhenDone();
    }
}
