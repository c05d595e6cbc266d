package io.faultline.client.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WatchdogsTest {

    private final AtomicLong now = new AtomicLong(1_000);
    private final List<String> moved = new ArrayList<>();
    private final Trips trips = new Trips("test", Runnable::run);

    private Watchdogs watchdogs(Set<Watchdog> disabled) {
        return new Watchdogs(now::get, trips, disabled);
    }

    private Watchdogs watchdogs() {
        return watchdogs(EnumSet.noneOf(Watchdog.class));
    }

    private Deadline in(long nanos) {
        return Deadline.after(now.get(), Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @EnumSource(Watchdog.class)
    void eachFiresOnSilenceAndIsCounted(Watchdog watchdog) {
        Watchdogs watchdogs = watchdogs();
        watchdogs.arm(watchdog, "something", in(5), () -> moved.add("moved"));
        now.addAndGet(4);
        assertThat(watchdogs.fire(now.get())).isZero();
        now.addAndGet(1);
        assertThat(watchdogs.fire(now.get())).isEqualTo(1);
        assertThat(moved).containsExactly("moved");
        assertThat(trips.count(watchdog)).isEqualTo(1);
        assertThat(watchdogs.next()).isEqualTo(Deadline.NEVER);
    }

    @ParameterizedTest
    @EnumSource(Watchdog.class)
    void oneThatIsDisabledLetsItsDeadlinePassWithoutAMove(Watchdog watchdog) {
        Watchdogs watchdogs = watchdogs(EnumSet.of(watchdog));
        Timer timer = watchdogs.arm(watchdog, "something", in(5), () -> moved.add("moved"));
        now.addAndGet(1_000_000);
        timer.rearm(in(5));
        now.addAndGet(1_000_000);
        assertThat(watchdogs.fire(now.get())).isZero();
        assertThat(moved).isEmpty();
        assertThat(trips.count(watchdog)).isZero();
    }

    @Test
    void whatIsDisarmedDoesNotFire() {
        Watchdogs watchdogs = watchdogs();
        watchdogs
                .arm(Watchdog.REQUEST, "a response", in(5), () -> moved.add("moved"))
                .disarm();
        now.addAndGet(10);
        assertThat(watchdogs.fire(now.get())).isZero();
        assertThat(watchdogs.size()).isZero();
    }

    @Test
    void theyFireInTheOrderOfTheirDeadlinesAndThenOfTheirArming() {
        Watchdogs watchdogs = watchdogs();
        watchdogs.arm(Watchdog.REQUEST, "c", in(7), () -> moved.add("c"));
        watchdogs.arm(Watchdog.REQUEST, "a", in(5), () -> moved.add("a"));
        watchdogs.arm(Watchdog.REQUEST, "b", in(5), () -> moved.add("b"));
        now.addAndGet(10);
        watchdogs.fire(now.get());
        assertThat(moved).containsExactly("a", "b", "c");
    }

    @Test
    void aMoveThatThrowsHoldsUpNoOther() {
        Watchdogs watchdogs = watchdogs();
        watchdogs.arm(Watchdog.REQUEST, "a", in(1), () -> {
            throw new IllegalStateException("expected by the test");
        });
        watchdogs.arm(Watchdog.REQUEST, "b", in(2), () -> moved.add("b"));
        now.addAndGet(10);
        assertThat(watchdogs.fire(now.get())).isEqualTo(2);
        assertThat(moved).containsExactly("b");
    }

    @Test
    void movesThatArmEachOtherDoNotHoldTheLoop() {
        Watchdogs watchdogs = watchdogs();
        AtomicReference<Runnable> again = new AtomicReference<>();
        again.set(() -> watchdogs.arm(Watchdog.RETRY_BACKOFF, "again", in(0), again.get()));
        again.get().run();
        assertThat(watchdogs.fire(now.get())).isEqualTo(1);
        assertThat(watchdogs.fire(now.get())).isEqualTo(1);
    }

    @Test
    void aDeadlineThatMovedAwayIsNoTrip() {
        Watchdogs watchdogs = watchdogs();
        AtomicReference<Deadline> deadline = new AtomicReference<>(in(5));
        watchdogs.arm(Watchdog.DELIVERY, "a batch", deadline::get, () -> moved.add("moved"));
        deadline.set(in(20));
        now.addAndGet(10);
        assertThat(watchdogs.fire(now.get())).isZero();
        assertThat(watchdogs.next()).isEqualTo(deadline.get());
        now.addAndGet(10);
        assertThat(watchdogs.fire(now.get())).isEqualTo(1);
    }

    @Test
    void aTimeThatIsWantedIsNoTrip() {
        Watchdogs watchdogs = watchdogs();
        watchdogs.schedule("a refresh", in(1), () -> moved.add("moved"));
        now.addAndGet(1);
        watchdogs.fire(now.get());
        assertThat(moved).containsExactly("moved");
        for (Watchdog watchdog : Watchdog.values()) {
            assertThat(trips.count(watchdog)).isZero();
        }
    }

    @Test
    void theLongestOfTimesNeverComes() {
        Deadline never = Deadline.after(now.get(), Duration.ofMillis(Long.MAX_VALUE));
        assertThat(never).isEqualTo(Deadline.NEVER);
        assertThat(never.isDue(Long.MAX_VALUE)).isFalse();
        assertThat(never.remaining(now.get())).isEqualTo(Long.MAX_VALUE);
        assertThat(never.plus(Duration.ofMillis(Long.MAX_VALUE))).isEqualTo(Deadline.NEVER);
        assertThat(Deadline.after(now.get(), Duration.ofMillis(Long.MIN_VALUE))).isEqualTo(new Deadline(now.get()));
    }

    @Test
    void tripsAreCountersByWatchdogAndCause() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new WatchdogMetrics(trips, "me").bindTo(registry);
        trips.report(new Trip(Watchdog.RETRY_BACKOFF, TripCause.ELAPSED, "a broker", 0));
        assertThat(registry.get("faultline.watchdog.trips")
                        .tags("client.id", "me", "watchdog", "retry-backoff", "cause", "elapsed")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aListenerThatThrowsHoldsUpNoOther() {
        List<Trip> heard = new ArrayList<>();
        trips.listen(trip -> {
            throw new IllegalStateException("expected by the test");
        });
        trips.listen(heard::add);
        Trip trip = new Trip(Watchdog.LOOP, TripCause.STUCK, "a loop", 0);
        trips.report(trip);
        assertThat(heard).containsExactly(trip);
    }
}
