package io.faultline.broker.network;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

/**
 * Warnings that a client can provoke: of each kind five lines a minute at most, and how many were left out. Safe for use
 * by any thread.
 */
public final class RateLimitedLog {

    private static final int MOST_LINES = 5;
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final Map<String, Window> windows = new ConcurrentHashMap<>();

    /**
     * Limits what is written to a log.
     *
     * @param log where lines go
     */
    public RateLimitedLog(Logger log) {
        this.log = log;
    }

    /**
     * Writes a line, unless there were many of its kind just now.
     *
     * @param format the line as SLF4J has it, one for each kind
     * @param arguments its arguments
     */
    public void warn(String format, Object... arguments) {
        write(format, MessageFormatter.basicArrayFormat(format, arguments));
    }

    /** Writes a line of a kind as it is. */
    void write(String kind, String line) {
        long leftOut = windows.computeIfAbsent(kind, first -> new Window()).enter(System.nanoTime());
        if (leftOut == 0) {
            log.warn("{}", line);
        } else if (leftOut > 0) {
            log.warn("{} ({} more like it were left out before)", line, leftOut);
        }
    }

    /** Lines of one kind in one stretch of time. */
    private static final class Window {

        private long beganNanos = System.nanoTime();
        private int lines;
        private long leftOut;

        /** Returns how many lines were left out before this one, or -1 if it is left out itself. */
        synchronized long enter(long nowNanos) {
            if (nowNanos - beganNanos >= WINDOW_NANOS) {
                beganNanos = nowNanos;
                lines = 0;
            }
            if (++lines > MOST_LINES) {
                leftOut++;
                return -1;
            }
            long before = leftOut;
            leftOut = 0;
            return before;
        }
    }
}
