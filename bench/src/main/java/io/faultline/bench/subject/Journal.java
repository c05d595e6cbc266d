package io.faultline.bench.subject;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Prints what happens, each event one line of JSON with its name and the time of {@link #now}. Printing is done by a thread of its own: a reader that is slow disturbs no
 * client.
 */
final class Journal implements AutoCloseable {

    /** How a line begins that is an event. */
    static final String BEGINNING = "{\"event\":";

    private final PrintStream out;
    private final ExecutorService writer = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "journal");
        thread.setDaemon(true);
        return thread;
    });

    Journal(PrintStream out) {
        this.out = out;
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
        writer.execute(() -> print(line));
    }

    private void print(Map<String, Object> line) {
        try {
            out.println(JSON.std.asString(line));
        } catch (IOException notJson) {
            throw new UncheckedIOException(notJson);
        }
    }

    /** Returns when everything that was noted is out of this process, and so not lost if it is killed. */
    void awaitPrinted() throws InterruptedException {
        try {
            writer.submit(out::flush).get();
        } catch (ExecutionException neverThrown) {
            throw new IllegalStateException(neverThrown);
        }
    }

    /** Returns when everything is printed. */
    @Override
    public void close() {
        try {
            awaitPrinted();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        writer.shutdown();
    }
}
