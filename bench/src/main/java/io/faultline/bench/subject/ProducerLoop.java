package io.faultline.bench.subject;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends at a fixed rate, to one partition after the other, whatever becomes of what was sent: an open loop. What could not be sent at its time because this process stood still
 * for longer than a second is left out. A rate of 0 sends nothing until it is told to.
 */
final class ProducerLoop {

    private static final long MOST_BEHIND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE_WITH_SEND_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private final SubjectProducer producer;
    private final Journal journal;
    private final String topic;
    private final int sender;
    private final long periodNanos;
    private final long[] next;
    private final AtomicLong produced = new AtomicLong();
    private final AtomicLong acked = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final Thread thread = new Thread(this::run, "produce");
    private int partition;
    private volatile boolean paused;
    private volatile boolean ending;

    ProducerLoop(SubjectProducer producer, Journal journal, String topic, int partitions, int sender, double rate) {
        this.producer = producer;
        this.journal = journal;
        this.topic = topic;
        this.sender = sender;
        this.paused = rate == 0;
        this.periodNanos = (long) (TimeUnit.SECONDS.toNanos(1) / (rate == 0 ? 1 : rate));
        this.next = new long[partitions];
    }

    void start() {
        thread.start();
    }

    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
    }

    /** Sends one record to each partition, paused or not. */
    void sendOneToEach() {
        for (int each = 0; each < next.length; each++) {
            send(each);
        }
    }

    Map<String, Object> counts() {
        Map<String, Object> counts = new LinkedHashMap<>();
        // In this order, so that never more seem to be settled than were produced.
        counts.put("failed", failed.get());
        counts.put("acked", acked.get());
        counts.put("produced", produced.get());
        return counts;
    }

    private void run() {
        try {
            long due = System.nanoTime();
            while (!ending) {
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                if (!paused) {
                    send(partition);
                    partition = (partition + 1) % next.length;
                }
                due = Math.max(due + periodNanos, System.nanoTime() - MOST_BEHIND_NANOS);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void send(int to) {
        long number = next[to]++;
        produced.incrementAndGet();
        // A send may block for max.block.ms; the record is on its way from when the producer has it.
        AtomicLong since = new AtomicLong(Journal.now());
        try {
            producer.send(topic, to, new Payload(sender, to, number).encode(), (offset, failure) -> {
                if (failure == null) {
                    acked.incrementAndGet();
                    journal.note("acked", details(to, number, since.get(), "offset", offset));
                } else {
                    fail(to, number, since.get(), failure);
                }
            });
            since.set(Journal.now());
        } catch (RuntimeException refused) {
            fail(to, number, since.get(), refused);
        }
    }

    private void fail(int to, long number, long began, Throwable failure) {
        failed.incrementAndGet();
        journal.note("failed", details(to, number, began, "why", failure.toString()));
    }

    private static Map<String, Object> details(int to, long number, long began, String key, Object value) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("partition", to);
        details.put("number", number);
        details.put("since", began);
        details.put(key, value);
        return details;
    }

    /** Sends no more, once a send that is under way returns; what was sent stays on its way. */
    void askToEnd() {
        ending = true;
    }

    /** Waits until a last send has returned; the producer has to be closed before. */
    void join() throws InterruptedException {
        thread.join(PATIENCE_WITH_SEND_MILLIS);
        if (thread.isAlive()) {
            journal.note("error", Map.of("client", "producer", "what", "a send does not return"));
        }
    }
}
