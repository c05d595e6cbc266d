package io.faultline.agent.core;

import io.faultline.classifier.FailureClassifier;
import java.nio.channels.FileChannel;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Counts by directory how often stale TLS bytes were held back. The host's thread leaves the file's name; which directory that is, is found out by housekeeping, since it may
 * have to ask the owners.
 */
final class StaleReads implements Consumer<FileChannel> {

    private static final int MOST_WAITING = 1_024;

    private final Function<FileChannel, String> nameOf;
    private final Queue<String> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final Map<String, LongAdder> byDirectory = new ConcurrentHashMap<>();

    StaleReads(Function<FileChannel, String> nameOf) {
        this.nameOf = nameOf;
    }

    @Override
    public void accept(FileChannel channel) {
        String name = nameOf.apply(channel);
        if (name == null) {
            return;
        }
        if (size.incrementAndGet() > MOST_WAITING) { // counted all the same, for no directory
            size.decrementAndGet();
        } else {
            waiting.add(name);
        }
    }

    /** Sorts what has come in since. */
    void sort(FailureClassifier classifier) {
        for (String name = waiting.poll(); name != null; name = waiting.poll()) {
            size.decrementAndGet();
            String directory = classifier.directoryOf(name).path();
            byDirectory.computeIfAbsent(directory, key -> new LongAdder()).increment();
        }
    }

    long of(String directory) {
        LongAdder count = byDirectory.get(directory);
        return count == null ? 0 : count.sum();
    }

    long sorted() {
        return byDirectory.values().stream().mapToLong(LongAdder::sum).sum();
    }
}
