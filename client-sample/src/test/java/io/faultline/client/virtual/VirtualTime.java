package io.faultline.client.virtual;

import io.faultline.client.loop.Poller;
import io.faultline.client.watchdog.MonotonicClock;
import java.time.Duration;
import java.util.PriorityQueue;

/** A clock that stands still but when the loop sleeps, and what happens at certain times on it. */
final class VirtualTime implements MonotonicClock, Poller {

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long made;
    private long until = Long.MAX_VALUE;
    private boolean woken;

    @Override
    public long nanos() {
        return now;
    }

    /** Lets something happen in so long. */
    void in(Duration wait, Runnable what) {
        events.add(new Event(now + wait.toNanos(), made++, what));
    }

    /** The loop comes so late as if the process had been stopped. */
    void stopProcessFor(Duration duration) {
        now += duration.toNanos();
    }

    /** The loop's sleep ends at the latest then. */
    void sleepNoLongerThan(long moment) {
        until = moment;
    }

    @Override
    public int poll(long nanos) {
        int happened = happen();
        if (happened == 0 && nanos > 0 && !woken) {
            long wake = Math.min(until, nanos == Long.MAX_VALUE ? Long.MAX_VALUE : now + nanos);
            if (!events.isEmpty()) {
                wake = Math.min(wake, events.peek().at);
            }
            now = Math.max(now, wake);
            happened = happen();
        }
        woken = false;
        return happened;
    }

    private int happen() {
        int happened = 0;
        long made0 = made;
        while (!events.isEmpty() && events.peek().at <= now && events.peek().number < made0) {
            events.poll().what.run();
            happened++;
        }
        return happened;
    }

    @Override
    public void wakeup() {
        woken = true;
    }

    @Override
    public void close() {
        events.clear();
    }

    private record Event(long at, long number, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }
}
