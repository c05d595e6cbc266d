package io.faultline.broker.network;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How many connections there may be, altogether and from one address, and how many may come in a second; over all listeners.
 * Safe for use by any thread.
 */
final class ConnectionLimits {

    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final int most;
    private final int mostPerAddress;
    private final int mostPerSecond;
    private final Map<InetAddress, Integer> byAddress = new HashMap<>();
    private int open;
    private long secondBeganNanos;
    private int openedInSecond;

    /**
     * Makes limits.
     *
     * @param most {@code max.connections}
     * @param mostPerAddress {@code max.connections.per.ip}
     * @param mostPerSecond {@code max.connection.creation.rate}
     */
    ConnectionLimits(int most, int mostPerAddress, int mostPerSecond) {
        this.most = most;
        this.mostPerAddress = mostPerAddress;
        this.mostPerSecond = mostPerSecond;
    }

    /** Waits, a little, until there may be another connection; returns whether there may. */
    synchronized boolean awaitRoom(long patienceMs) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        for (long now = System.nanoTime(); !hasRoom(now); now = System.nanoTime()) {
            if (now >= deadline) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, deadline - now);
        }
        return true;
    }

    private boolean hasRoom(long nowNanos) {
        if (nowNanos - secondBeganNanos >= NANOS_PER_SECOND) {
            secondBeganNanos = nowNanos;
            openedInSecond = 0;
        }
        return open < most && openedInSecond < mostPerSecond;
    }

    /** Counts a connection that came, unless there are too many from its address. */
    synchronized boolean opened(InetAddress address) {
        openedInSecond++;
        int own = byAddress.getOrDefault(address, 0);
        if (own >= mostPerAddress) {
            return false;
        }
        byAddress.put(address, own + 1);
        open++;
        return true;
    }

    /** Counts a connection that went. */
    synchronized void closed(InetAddress address) {
        byAddress.computeIfPresent(address, (key, own) -> own == 1 ? null : own - 1);
        open--;
        notifyAll();
    }
}
