package io.faultline.agent.core;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;

/**
 * The agent's own lines: few, each for something that a person must know, and never a flood. Safe for use from several threads. What is written to may hang: that holds up nobody for longer than a
 * moment, see {@link QueuedLines}.
 */
public final class AgentLog implements AutoCloseable {

    private static final int LINES_PER_PERIOD = 20;
    private static final long PERIOD_NANOS = 60_000_000_000L;

    private final QueuedLines out;
    private final LongAdder suppressed = new LongAdder();
    private long periodBegan = System.nanoTime();
    private int linesInPeriod;
    private long suppressedInPeriod;

    private AgentLog(Callable<Lines> opening) {
        this.out = new QueuedLines(opening, this::suppress);
    }

    /**
     * Opens the log, when there is something to say. Where the file cannot be written, the lines go to standard error, and the first one says so.
     *
     * @param file the file to append to, or null for standard error
     * @return the open log
     */
    public static AgentLog open(Path file) {
        return new AgentLog(() -> file == null ? StreamLines.toStandardError() : toFileOrStandardError(file));
    }

    private static Lines toFileOrStandardError(Path file) throws IOException {
        try {
            return StreamLines.to(file);
        } catch (IOException | RuntimeException unwritable) {
            Lines otherwise = StreamLines.toStandardError();
            otherwise.write(
                    Instant.now(),
                    "log=" + file + " cannot be written (" + unwritable + "); accepted is " + Key.LOG.accepted()
                            + ". Writing to standard error instead",
                    true);
            return otherwise;
        }
    }

    /**
     * Opens the log to the host's SLF4J, once the host has initialised it.
     *
     * @param instrumentation the JVM's
     * @return the open log
     */
    static AgentLog toSlf4j(Instrumentation instrumentation) {
        return new AgentLog(() -> new Slf4jLines(instrumentation));
    }

    /**
     * Writes a line, or counts it as suppressed where there were 20 in this minute.
     *
     * @param text the line, without its end
     */
    public void line(String text) {
        line(text, false);
    }

    /**
     * Writes a line that a person should look into, or counts it as suppressed where there were 20 in this minute.
     *
     * @param text the line, without its end
     */
    public void warn(String text) {
        line(text, true);
    }

    private synchronized void line(String text, boolean warns) {
        long now = System.nanoTime();
        if (now - periodBegan > PERIOD_NANOS) {
            long unsaid = suppressedInPeriod;
            periodBegan = now;
            linesInPeriod = 0;
            suppressedInPeriod = 0;
            if (unsaid > 0) {
                write(unsaid + " lines were suppressed in the minute before", false);
                linesInPeriod++;
            }
        }
        if (linesInPeriod >= LINES_PER_PERIOD) {
            suppressedInPeriod++;
            suppressed.increment();
            return;
        }
        linesInPeriod++;
        write(text, warns);
    }

    /** Counts a line that need not be said. */
    void suppress() {
        suppressed.increment();
    }

    /**
     * Lines that were not written because there were too many, or because the same was said before.
     *
     * @return the count
     */
    public long suppressed() {
        return suppressed.sum();
    }

    /** Closes the file, never standard error, which is the host's, once what waits is written. A line that comes later is counted as suppressed. */
    @Override
    public void close() {
        out.close();
    }

    /** Says whether lines may still be written. */
    boolean isBusy() {
        return out.isBusy();
    }

    private void write(String text, boolean warns) {
        out.write(text.replace('\n', ' '), warns);
    }
}
