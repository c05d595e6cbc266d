package io.faultline.bench.host;

import io.faultline.classifier.DirectoryStatus;
import io.faultline.classifier.FailedTransfer;
import io.faultline.classifier.FailureClassifier;
import io.faultline.classifier.FailureFeed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** What a classifier keeps of failed transfers at the most, by its design: as many as its queues have room for, and of each the same. */
public final class KeptFailures {

    private static final int KEPT = 16_384;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long LOOK_AGAIN_MILLIS = 2;

    /** A failure that is about to be checked is in three lists besides, each of which may have grown by half more than it holds; a reference has four bytes. */
    private static final int BYTES_IN_LISTS = 3 * 6;

    private KeptFailures() {}

    /**
     * How many failures wait for their verdicts at the most: those that are to be sorted by directory, and those of each directory.
     *
     * @param directories how many directories have failures
     * @return the sum of the capacities of all queues; directories beyond a number share one
     */
    public static long most(int directories) {
        long queues = Math.min(directories, FailureClassifier.MOST_DIRECTORIES + 1L);
        return FailureClassifier.INBOX_CAPACITY + queues * FailureClassifier.QUEUE_CAPACITY;
    }

    /**
     * How much heap one of them takes, with all that it keeps alive. Most of that is the exception with its stack, the very object that the caller saw, which verdicts hand on: so it is measured on sends that fail,
     * with a classifier that keeps what it is given. For JVMs with compressed references, and stacks of up to 32 frames, which the JVM keeps in one piece.
     *
     * @param file what fails to be sent
     * @return bytes
     * @throws IOException if the file cannot be opened
     * @throws InterruptedException if interrupted meanwhile
     */
    public static double bytesOfOne(Path file) throws IOException, InterruptedException {
        ExecutorService thread = Executors.newSingleThreadExecutor(); // whose stack is as short as a server's
        try {
            return BYTES_IN_LISTS + thread.submit(() -> heapOfOne(file)).get();
        } catch (ExecutionException failed) {
            throw new IOException("it cannot be told what a kept failure takes", failed.getCause());
        } finally {
            thread.shutdown();
        }
    }

    private static double heapOfOne(Path file) throws IOException, InterruptedException {
        try (FileChannel channel = FileChannel.open(file);
                GoneClient client = GoneClient.make();
                FailureClassifier classifier = FailureClassifier.publishingTo(new FailureFeed())
                        .inboxCapacity(KEPT)
                        .queueCapacity(KEPT)
                        .scheduler(check -> {}) // which is never run
                        .longestWait(Duration.ofDays(1))
                        .build()) {
            String name = file.toString();
            keep(classifier, channel, name, client, 1); // with what is made for the first one only
            long before = heapInUse();
            keep(classifier, channel, name, client, KEPT);
            return (double) (heapInUse() - before) / (KEPT - 1);
        }
    }

    private static void keep(
            FailureClassifier classifier, FileChannel channel, String name, GoneClient client, int untilThere)
            throws IOException, InterruptedException {
        long count = channel.size();
        for (long there = classifier.accounts().handedOver(); there < untilThere; there++) {
            IOException failure = client.failToSend(channel, count);
            classifier.submit(FailedTransfer.ofTransfer(channel, name, 0, count, null, failure));
        }
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (sorted(classifier) < untilThere) {
            if (System.nanoTime() > deadline) {
                throw new IOException("not all failures are kept: " + classifier.accounts());
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
        }
    }

    private static long sorted(FailureClassifier classifier) {
        return classifier.directories().stream()
                .mapToLong(DirectoryStatus::pending)
                .sum();
    }

    /**
     * What is in use of this JVM's heap behind a full collection.
     *
     * @return bytes
     */
    public static long heapInUse() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
