package io.faultline.bench.subject;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Prints what happens, each event one line of JSON with its name and the time of {@link #now}. Printing is done by a thread of its own: a reader that is slow disturbs no
 * client.
 */
final class Journal implements AutoCloseable {

    /** How a line begins that is an event. */
    static final String BEGINNING = "{\"event\":";

    private static final String END = "end";

    private final BlockingQueue<Map<String, Object>> events = new LinkedBlockingQueue<>();
    private final PrintStream out;
    private final Thread writer = new Thread(this::write, "journal");

    Journal(PrintStream out) {
        this.out = out;
        writer.setDaemon(true);
        writer.start();
    }

    /** Milliseconds of the machine's monotonic clock, which are the same in every process. */
    static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Notes an event of now. */
    void note(String event, Map<String, ?> details) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", event);
        line.put("at", now());
        line.putAll(details);
        events.add(line);
    }

    private void write() {
        try {
            for (Map<String, Object> event = events.take(); !END.equals(event.get("event")); event = events.take()) {
                out.println(JSON.std.asString(event));
                if (events.isEmpty()) {
                    out.flush();
                }
            }
            out.flush();
        } catch (IOException notJson) {
            throw new UncheckedIOException(notJson);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when everything is printed. */
    @Override
    public void close() {
        note(END, Map.of());
        try {
            writer.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
