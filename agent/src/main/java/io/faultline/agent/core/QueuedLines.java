package io.faultline.agent.core;

import io.faultline.classifier.FaultlineThreads;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lines that a thread of their own writes: a disk that hangs, a pipe that nobody reads, or logging of the host's that blocks holds up no verdict, no metric and no class that the host loads.
 *
 * <p>Whoever has something to say waits a moment until it is written, since the JVM may end right behind it, as Kafka does when its last directory goes offline; but not while an earlier line is stuck. Never throws.
 */
final class QueuedLines implements AutoCloseable {

    private static final int MOST_WAITING = 64;
    private static final long MOMENT_MILLIS = 500;
    private static final long BETWEEN_LOOKS_MILLIS = 1_000;

    private final Callable<Lines> opening;
    private final Runnable onLost;
    private final BlockingQueue<Waiting> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private volatile boolean stuck;
    private volatile boolean closed;
    private Thread writer;

    private record Waiting(Instant at, String line, boolean warns, CountDownLatch written) {}

    /**
     * Makes one that opens nothing before there is a line.
     *
     * @param opening opens what is written to, on the thread that writes
     * @param onLost told of each line that is not written: it cannot be, too many wait already, or it comes behind the end
     */
    QueuedLines(Callable<Lines> opening, Runnable onLost) {
        this.opening = opening;
        this.onLost = onLost;
    }

    /** Writes a line, as {@link Lines#write} does. */
    void write(String line, boolean warns) {
        Waiting mine = new Waiting(Instant.now(), line, warns, new CountDownLatch(1));
        if (!accepts(mine)) {
            onLost.run();
        } else if (!stuck) {
            awaitAMoment(mine.written);
        }
    }

    private synchronized boolean accepts(Waiting line) {
        if (closed || !waiting.offer(line)) {
            return false;
        }
        if (writer == null) {
            try {
                writer = FaultlineThreads.start("log", this::writeAll);
            } catch (OutOfMemoryError noThread) { // tried again with the next line
                waiting.clear();
                return false;
            }
        }
        return true;
    }

    private void awaitAMoment(CountDownLatch written) {
        try {
            if (!written.await(MOMENT_MILLIS, TimeUnit.MILLISECONDS)) {
                stuck = true;
            }
        } catch (InterruptedException hosts) { // the thread is the host's then, and its interrupt too
            Thread.currentThread().interrupt();
        }
    }

    private void writeAll() {
        try (Lines out = opening.call()) {
            while (!closed || !waiting.isEmpty()) {
                Waiting next = waiting.poll(BETWEEN_LOOKS_MILLIS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    write(out, next);
                }
                tend(out);
            }
        } catch (Exception | Error unusable) { // no line is worth the host's trouble
            refuseAll();
        }
    }

    private void write(Lines out, Waiting next) {
        try {
            out.write(next.at, next.line, next.warns);
        } catch (IOException | RuntimeException | Error unwritable) { // the next one may well be written
            onLost.run();
        } finally {
            stuck = false;
            next.written.countDown();
        }
    }

    private void tend(Lines out) {
        try {
            out.tend();
        } catch (IOException | RuntimeException | Error unwritable) {
            onLost.run();
        }
    }

    private synchronized void refuseAll() {
        closed = true;
        for (Waiting each = waiting.poll(); each != null; each = waiting.poll()) {
            onLost.run();
            each.written.countDown();
        }
    }

    /** Takes no further line. What waits is still written; does not wait for that. */
    @Override
    public synchronized void close() {
        closed = true;
    }

    /** Says whether lines may still be written. */
    synchronized boolean isBusy() {
        return writer != null && writer.isAlive();
    }
}
