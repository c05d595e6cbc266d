package io.faultline.agent.core;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The agent's own lines: few, each for something that a person must know, and never a flood. Past {@code System.err} and past every logging library of the host.
 * Safe for use from several threads; called from the agent's threads only.
 */
public final class AgentLog implements AutoCloseable {

    private static final int LINES_PER_PERIOD = 20;
    private static final long PERIOD_NANOS = 60_000_000_000L;

    private final OutputStream out;
    private final boolean ownsOut;
    private final LongAdder suppressed = new LongAdder();
    private long periodBegan = System.nanoTime();
    private int linesInPeriod;
    private long suppressedInPeriod;

    private AgentLog(OutputStream out, boolean ownsOut) {
        this.out = out;
        this.ownsOut = ownsOut;
    }

    /**
     * Opens the log. Where the file cannot be written, the lines go to standard error, and the first one says so.
     *
     * @param file the file to append to, or null for standard error
     * @return the open log
     */
    public static AgentLog open(Path file) {
        OutputStream standardError = new FileOutputStream(FileDescriptor.err);
        if (file == null) {
            return new AgentLog(standardError, false);
        }
        try {
            OutputStream opened = Files.newOutputStream(
                    file, StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.WRITE);
            return new AgentLog(opened, true);
        } catch (IOException | RuntimeException unwritable) {
            AgentLog log = new AgentLog(standardError, false);
            log.line("log=" + file + " cannot be written (" + unwritable + "); accepted is stderr or a file. "
                    + "Writing to standard error instead");
            return log;
        }
    }

    /**
     * Writes a line, or counts it as suppressed where there were 20 in this minute.
     *
     * @param text the line, without its end
     */
    public synchronized void line(String text) {
        long now = System.nanoTime();
        if (now - periodBegan > PERIOD_NANOS) {
            long unsaid = suppressedInPeriod;
            periodBegan = now;
            linesInPeriod = 0;
            suppressedInPeriod = 0;
            if (unsaid > 0) {
                write(unsaid + " lines were suppressed in the minute before");
                linesInPeriod++;
            }
        }
        if (linesInPeriod >= LINES_PER_PERIOD) {
            suppressedInPeriod++;
            suppressed.increment();
            return;
        }
        linesInPeriod++;
        write(text);
    }

    /**
     * Lines that were not written because there were too many.
     *
     * @return the count
     */
    public long suppressed() {
        return suppressed.sum();
    }

    /** Closes the file, never standard error, which is the host's. A line that comes later is counted as suppressed. */
    @Override
    public synchronized void close() {
        if (ownsOut) {
            try {
                out.close();
            } catch (IOException ignored) { // every line was written before
            }
        }
    }

    private void write(String text) {
        String line = Instant.now().truncatedTo(ChronoUnit.MILLIS) + " Faultline: " + text.replace('\n', ' ')
                + System.lineSeparator();
        try {
            out.write(line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException full) { // a log that cannot be written is no reason to trouble the host
            suppressed.increment();
        }
    }
}
