package io.faultline.client.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.faultline.client.watchdog.Trips;
import io.faultline.client.watchdog.Watchdog;
import io.faultline.client.watchdog.Watchdogs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventLoopTest {

    private final List<String> done = new ArrayList<>();
    private final List<Long> slept = new ArrayList<>();
    private long now;
    private int ready;
    private int wakeups;
    private Runnable meanwhile = () -> {};
    private final Poller poller = new Poller() {
        @Override
        public int poll(long nanos) {
            slept.add(nanos);
            now += nanos;
            meanwhile.run();
            if (ready > 0) {
                ready--;
                done.add("read");
                return 1;
            }
            return 0;
        }

        @Override
        public void wakeup() {
            wakeups++;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };
    private final Watchdogs watchdogs =
            new Watchdogs(() -> now, new Trips("test", Runnable::run), EnumSet.noneOf(Watchdog.class));
    private final EventLoop loop = new EventLoop("test", poller, watchdogs);

    @Test
    void itSleepsNoLongerThanUntilTheNextDeadline() throws IOException {
        watchdogs.arm(Watchdog.DELIVERY, "a batch", loop.in(Duration.ofMillis(10)), () -> done.add("moved"));
        loop.turn();
        assertThat(slept).containsExactly(TimeUnit.MILLISECONDS.toNanos(10), 0L); // the second look is the draining
        assertThat(done).containsExactly("moved");
    }

    @Test
    void itTurnsEverySecondSoThatItIsKnownToLive() throws IOException {
        loop.turn();
        assertThat(slept).containsExactly(EventLoop.LONGEST_SLEEP_NANOS);
        assertThat(loop.turns()).isEqualTo(1);
    }

    @Test
    void whatHasArrivedIsReadBeforeDeadlinesAreJudged() throws IOException {
        watchdogs.arm(Watchdog.REQUEST, "a response", loop.in(Duration.ofMillis(10)), () -> done.add("moved"));
        ready = 3;
        loop.turn();
        assertThat(done).containsExactly("read", "read", "read", "moved");
    }

    @Test
    void socketsThatAreAlwaysReadyDoNotKeepDeadlinesFromBeingJudged() throws IOException {
        watchdogs.arm(Watchdog.REQUEST, "a response", loop.in(Duration.ofMillis(10)), () -> done.add("moved"));
        ready = Integer.MAX_VALUE;
        loop.turn();
        assertThat(done).endsWith("moved");
    }

    @Test
    void anExceptionOfATaskHoldsUpNothing() throws IOException {
        loop.execute(() -> {
            throw new IllegalStateException("expected by the test");
        });
        loop.execute(() -> done.add("next"));
        loop.turn();
        assertThat(done).containsExactly("next");
    }

    @Test
    void anErrorEndsTheLoop() {
        loop.execute(() -> {
            throw new AssertionError("expected by the test");
        });
        assertThatThrownBy(loop::turn).isInstanceOf(AssertionError.class);
    }

    @Test
    void tasksThatBegetTasksDoNotKeepTheSocketsWaiting() throws IOException {
        ready = 1;
        loop.execute(new Runnable() {
            @Override
            public void run() {
                done.add("task");
                loop.execute(this);
            }
        });
        loop.turn();
        assertThat(done).containsOnlyOnce("read").endsWith("read");
    }

    @Test
    void aRecordThatIsBegunIsWrittenInTheSameTurn() throws IOException {
        loop.execute(() -> {
            done.add("begun");
            loop.execute(() -> {
                done.add("put into a request");
                loop.execute(() -> done.add("written"));
            });
        });
        ready = 1;
        loop.turn();
        assertThat(done).containsExactly("begun", "put into a request", "written", "read");
    }

    @Test
    void aLoopThatSleepsIsWokenOnceHoweverManyTasksCome() throws IOException {
        meanwhile = () -> {
            loop.execute(() -> done.add("one"));
            loop.execute(() -> done.add("other"));
        };
        loop.turn();
        assertThat(wakeups).isEqualTo(1);
        meanwhile = () -> {};
        loop.turn();
        assertThat(done).containsExactly("one", "other");
    }

    @Test
    void aLoopThatDoesNotSleepIsNotWoken() throws IOException {
        loop.execute(new Runnable() {
            @Override
            public void run() {
                loop.execute(this);
            }
        });
        loop.turn();
        assertThat(slept).containsExactly(0L);
        assertThat(wakeups).isZero();
    }

    @Test
    void aLoopThatTurnsIsNotStuckHoweverSlowItIs() throws IOException {
        LoopLiveness liveness = liveness();
        for (int tick = 0; tick < 100; tick++) {
            liveness.tick();
            if (tick % 9 == 0) {
                loop.turn();
            }
        }
        assertThat(done).isEmpty();
    }

    @Test
    void aLoopThatMakesNoTurnInTenTicksIsStuckAndThatIsSaidOnce() {
        LoopLiveness liveness = liveness();
        for (int tick = 0; tick < 100; tick++) {
            liveness.tick();
        }
        assertThat(done).containsExactly("stuck");
    }

    /** A pause of the process is one late tick, however long. */
    @Test
    void aPauseOfTheWholeProcessIsNoTrip() throws IOException {
        LoopLiveness liveness = liveness();
        liveness.tick();
        now += TimeUnit.HOURS.toNanos(1);
        liveness.tick();
        loop.turn();
        liveness.tick();
        assertThat(done).isEmpty();
    }

    private LoopLiveness liveness() {
        return new LoopLiveness("test", loop, TimeUnit.SECONDS.toNanos(10), stack -> done.add("stuck"));
    }
}
