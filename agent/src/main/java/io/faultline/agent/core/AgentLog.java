package io.faultline.agent.core;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;

/**
 * The agent's own lines: few, each for something that a person must know, and never a flood. Safe for use from several threads; called from the agent's threads only.
 */
public final class AgentLog implements AutoCloseable {

    private static final int LINES_PER_PERIOD = 20;
    private static final long PERIOD_NANOS = 60_000_000_000L;

    private final Lines out;
    private final LongAdder suppressed = new LongAdder();
    private long periodBegan = System.nanoTime();
    private int linesInPeriod;
    private long suppressedInPeriod;

    private AgentLog(Lines out) {
        this.out = out;
    }

    /**
     * Opens the log. Where the file cannot be written, the lines go to standard error, and the first one says so.
     *
     * @param file the file to append to, or null for standard error
     * @return the open log
     */
    public static AgentLog open(Path file) {
        if (file == null) {
            return new AgentLog(StreamLines.toStandardError());
        }
        try {
            return new AgentLog(StreamLines.to(file));
        } catch (IOException | RuntimeException unwritable) {
            AgentLog log = new AgentLog(StreamLines.toStandardError());
            log.warn("log=" + file + " cannot be written (" + unwritable + "); accepted is " + Key.LOG.accepted()
                    + ". Writing to standard error instead");
            return log;
        }
    }

    /**
     * Opens the log to the host's SLF4J, once the host has initialised it.
     *
     * @param instrumentation the JVM's
     * @return the open log
     */
    static AgentLog toSlf4j(Instrumentation instrumentation) {
        return new AgentLog(new Slf4jLines(instrumentation));
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

    /** Writes what had to wait; called every second or so. */
    synchronized void tend() {
        try {
            out.tend();
        } catch (IOException full) {
            suppressed.increment();
        }
    }

    /** Closes the file, never standard error, which is the host's. A line that comes later is counted as suppressed. */
    @Override
    public synchronized void close() {
        try {
            out.close();
        } catch (IOException ignored) { // every line was written before
        }
    }

    private void write(String text, boolean warns) {
        try {
            out.write(text.replace('\n', ' '), warns);
        } catch (IOException full) { // a log that cannot be written is no reason to trouble the host
            suppressed.increment();
        }
    }
}
