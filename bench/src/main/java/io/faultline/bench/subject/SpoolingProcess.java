package io.faultline.bench.subject;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A {@link SpoolingMain}, seen from outside. What it told counts, though it was killed right after. */
public final class SpoolingProcess implements AutoCloseable {

    private static final long LOOK_AGAIN_MILLIS = 5;
    private static final Duration PATIENCE_WITH_OUTPUT = Duration.ofSeconds(60);

    private final JvmProcess process;
    private final Set<Payload> accepted = ConcurrentHashMap.newKeySet();
    private final Set<Payload> undecided = ConcurrentHashMap.newKeySet();
    private volatile long left = Long.MAX_VALUE; // in the spool, as far as was told

    /**
     * Starts one, and does not wait for it.
     *
     * @param layout where the jars are
     * @param bootstrap where it connects
     * @param spool its directory
     * @param topic where it sends
     * @param partitions of the topic
     * @param sender its number
     * @param sends false for one that only delivers what others left
     * @throws IOException if it does not start
     */
    public SpoolingProcess(
            Layout layout, String bootstrap, Path spool, String topic, int partitions, int sender, boolean sends)
            throws IOException {
        List<String> command = List.of(
                layout.java().toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                layout.bench().toString(),
                SpoolingMain.class.getName(),
                bootstrap,
                spool.toString(),
                topic,
                Integer.toString(partitions),
                Integer.toString(sender),
                Boolean.toString(sends));
        process = JvmProcess.start("a producer with a spool", new ProcessBuilder(command), null, this::take);
    }

    private boolean take(String line) {
        String[] words = line.split(" ");
        boolean whole = line.endsWith(SpoolingMain.END);
        switch (words[0]) {
            case SpoolingMain.ACCEPTED -> add(accepted, words, whole);
            case SpoolingMain.UNDECIDED -> add(undecided, words, whole);
            case SpoolingMain.LEFT -> left = whole ? Long.parseLong(words[1]) : left;
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void add(Set<Payload> records, String[] words, boolean whole) {
        if (whole) {
            records.add(new Payload(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3])));
        }
    }

    /**
     * Waits until records were accepted.
     *
     * @param count how many
     * @param patience how long to wait
     * @throws IOException if it ends before, or the time does
     * @throws InterruptedException if interrupted meanwhile
     */
    public void awaitAccepted(int count, Duration patience) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (accepted.size() < count) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IOException(accepted.size() + " of " + count + " records accepted:\n" + process.tail());
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
        }
    }

    /**
     * Waits until one that does not send has ended, however long that takes while its spool gets emptier.
     *
     * @param patience how long to wait while nothing is delivered
     * @throws IOException if it fails, or the time is up
     * @throws InterruptedException if interrupted meanwhile
     */
    public void awaitDrained(Duration patience) throws IOException, InterruptedException {
        long least = Long.MAX_VALUE;
        long deadline = System.nanoTime() + patience.toNanos();
        while (process.isAlive()) {
            long now = left;
            if (now < least) {
                least = now;
                deadline = System.nanoTime() + patience.toNanos();
            } else if (System.nanoTime() > deadline) {
                throw new IOException(now + " batches stay in the spool:\n" + process.tail());
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
        }
        if (process.awaitExit(patience) != 0) {
            throw new IOException("the spool was not delivered:\n" + process.tail());
        }
    }

    /**
     * The records that it said were accepted.
     *
     * @return grows until it has ended
     */
    public Set<Payload> accepted() {
        return accepted;
    }

    /**
     * The records that it said were undecided.
     *
     * @return grows until it has ended
     */
    public Set<Payload> undecided() {
        return undecided;
    }

    /** Ends it at once (SIGKILL), and waits until all that it told is read. */
    @Override
    public void close() {
        try {
            process.kill();
            process.awaitExit(PATIENCE_WITH_OUTPUT);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (IOException impossible) { // it has ended
            throw new IllegalStateException(impossible);
        }
    }
}
