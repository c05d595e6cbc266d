package io.faultline.client;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.watchdog.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** The machine's clock, of which a test can skip what it would only wait out. Sockets and disks go on in their own time. */
final class JumpingClock implements MonotonicClock {

    private static final Duration STEP = Duration.ofSeconds(5);

    private final AtomicLong skipped = new AtomicLong();

    @Override
    public long nanos() {
        return System.nanoTime() + skipped.get();
    }

    /** Skips time in small steps, so that a loop does one thing after the other as it would have done. */
    void skip(Duration time, EventLoop loop) {
        for (Duration left = time; !left.isZero(); ) {
            Duration step = left.compareTo(STEP) < 0 ? left : STEP;
            skipped.addAndGet(step.toNanos());
            left = left.minus(step);
            turn(loop);
            turn(loop); // the first one may have begun before
        }
    }

    private static void turn(EventLoop loop) {
        CompletableFuture<Void> turned = new CompletableFuture<>();
        loop.execute(() -> turned.complete(null));
        StubProducer.outcome(turned);
    }
}
