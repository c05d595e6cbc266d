package io.faultline.bench.subject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Polls, notes what came and, as a member of a group, commits what was processed. An exception of a poll is noted, and the next poll follows. */
final class ConsumerLoop implements SubjectConsumer.Ownership {

    private static final Duration POLL = Duration.ofMillis(100);

    private final String name;
    private final SubjectConsumer consumer;
    private final Journal journal;
    private final boolean member;
    private final Duration commitTimeout;
    private final Map<Integer, Long> processed = new TreeMap<>();
    private final Thread thread;
    private volatile boolean rewind;
    private volatile Duration closing;

    private ConsumerLoop(
            String name, SubjectConsumer consumer, Journal journal, boolean member, Duration commitTimeout) {
        this.name = name;
        this.consumer = consumer;
        this.journal = journal;
        this.member = member;
        this.commitTimeout = commitTimeout;
        this.thread = new Thread(this::run, name);
    }

    /** Reads all partitions of a topic, in no group. */
    static ConsumerLoop assigned(String name, SubjectConsumer consumer, Journal journal, String topic, int partitions) {
        ConsumerLoop loop = new ConsumerLoop(name, consumer, journal, false, Duration.ZERO);
        consumer.assign(topic, IntStream.range(0, partitions).boxed().toList());
        loop.thread.start();
        return loop;
    }

    /** A member of the group that its configuration names. */
    static ConsumerLoop member(
            String name, SubjectConsumer consumer, Journal journal, String topic, Duration commitTimeout) {
        ConsumerLoop loop = new ConsumerLoop(name, consumer, journal, true, commitTimeout);
        consumer.subscribe(topic, loop);
        loop.thread.start();
        return loop;
    }

    void rewind() {
        rewind = true;
    }

    /** Closes the consumer on its own thread; {@link #join} waits for that. */
    void askToClose(Duration timeout) {
        closing = timeout;
        consumer.wakeup();
    }

    void join() throws InterruptedException {
        thread.join();
    }

    private void run() {
        while (closing == null) {
            try {
                if (rewind) {
                    rewind = false;
                    consumer.rewind();
                }
                process(consumer.poll(POLL));
            } catch (Exception failure) {
                if (closing == null) {
                    journal.note("error", Map.of("client", name, "what", failure.toString()));
                }
            }
        }
        close();
    }

    private void process(List<SubjectConsumer.Polled> polled) throws InterruptedException {
        if (polled.isEmpty()) {
            return;
        }
        Map<Integer, List<Object>> byPartition = new LinkedHashMap<>();
        for (SubjectConsumer.Polled record : polled) {
            Payload payload = Payload.decode(record.value());
            List<Object> line = byPartition.computeIfAbsent(record.partition(), any -> new ArrayList<>());
            line.add(record.offset());
            line.add(payload == null ? -1 : payload.sender());
            line.add(payload == null ? -1 : payload.number());
            processed.put(record.partition(), record.offset() + 1);
        }
        byPartition.forEach((partition, records) ->
                journal.note("polled", Map.of("client", name, "partition", partition, "records", records)));
        if (member) {
            Map<Integer, Long> next = new TreeMap<>();
            byPartition.keySet().forEach(partition -> next.put(partition, processed.get(partition)));
            // What is committed was processed, and that is known, also when this process is killed now.
            journal.awaitPrinted();
            consumer.commit(next, () -> noteCommitted(next));
        }
    }

    private void noteCommitted(Map<Integer, Long> next) {
        next.forEach((partition, offset) ->
                journal.note("committed", Map.of("client", name, "partition", partition, "offset", offset)));
    }

    @Override
    public void owns(int generation, Collection<Integer> partitions) {
        processed.keySet().retainAll(partitions);
        journal.note("owns", Map.of("client", name, "generation", generation, "partitions", partitions));
    }

    @Override
    public void lost() {
        // Others may own them already: nothing can be committed, and what they commit is newer when they come back.
        processed.clear();
        journal.note("gaveUp", Map.of("client", name));
    }

    @Override
    public void revoked(Collection<Integer> partitions) {
        commitAll(partitions);
        processed.keySet().removeAll(partitions);
        journal.note("gaveUp", Map.of("client", name));
    }

    private void commitAll(Collection<Integer> partitions) {
        Map<Integer, Long> next = new TreeMap<>(processed);
        next.keySet().retainAll(partitions);
        if (!next.isEmpty()) {
            try {
                consumer.commit(next, commitTimeout);
                noteCommitted(next);
            } catch (Exception notCommitted) {
                // They are processed again by whoever gets the partitions: at least once.
                journal.note("uncommitted", Map.of("client", name, "why", notCommitted.toString()));
            }
        }
    }

    private void close() {
        long began = Journal.now();
        String how = "";
        try {
            consumer.close(closing);
        } catch (Exception failure) {
            how = failure.toString();
        }
        journal.note("closed", Map.of("client", name, "took", Journal.now() - began, "failure", how));
    }
}
