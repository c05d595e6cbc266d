package io.faultline.client.spool;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spool as the loop sees it: asks its thread for something, and hears of the outcome later, on the loop. Nothing in here
 * waits for the disk, but for {@link #open}.
 *
 * <p>While the thread makes no progress for {@code spool.timeout.ms} the spool is <em>stuck</em>: batches that wait to be stored
 * are given back, and it takes no more until something has come to an end.
 */
public final class Spool {

    private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

    /** What is asked of the disk. */
    @FunctionalInterface
    private interface Operation<T> {
        T run() throws IOException;
    }

    private final EventLoop loop;
    private final SpoolConfig config;
    private final SpoolThread thread;
    private final SpoolDirectory directory;
    private volatile List<Recovered> recovered = List.of();
    private volatile boolean usable;

    // What follows belongs to the loop.
    private Timer watchdog;
    private boolean stuck;
    private long reserved;
    private int pending;
    private int storing;
    private CompletableFuture<Void> allDecided;

    /**
     * Starts the thread.
     *
     * @param loop where outcomes are told
     * @param config where and how
     * @param name of the thread
     */
    public Spool(EventLoop loop, SpoolConfig config, String name) {
        this.loop = loop;
        this.config = config;
        this.directory = new SpoolDirectory(config);
        this.thread = new SpoolThread(name, loop.watchdogs().clock());
    }

    /**
     * Takes the directory; before the loop runs. Where its disk fails or hangs the spool is not used, and all goes on without.
     *
     * @throws ConfigException if it is another producer's, or holds something else
     */
    public void open() {
        CompletableFuture<List<Recovered>> opened = new CompletableFuture<>();
        thread.execute(() -> {
            try {
                opened.complete(directory.open());
            } catch (IOException | RuntimeException failure) {
                opened.completeExceptionally(failure);
            }
        });
        try {
            recovered = opened.get(config.timeout().toMillis(), TimeUnit.MILLISECONDS);
            usable = true;
        } catch (ExecutionException failure) {
            close();
            if (failure.getCause() instanceof ForeignSpoolException foreign) {
                throw new ConfigException(
                        "spool.dir", config.directory(), "accepted is a directory of its own: " + foreign.getMessage());
            }
            LOG.error("The spool {} cannot be used, all goes on without", config.directory(), failure.getCause());
        } catch (TimeoutException hung) {
            close();
            LOG.error("The spool {} did not open within {}, all goes on without", config.directory(), config.timeout());
        } catch (InterruptedException interrupted) {
            close();
            throw new org.apache.kafka.common.errors.InterruptException(interrupted);
        }
    }

    /**
     * What an earlier producer left.
     *
     * @return batches in the order in which they were accepted, none of them read yet
     */
    public List<Recovered> recovered() {
        return recovered;
    }

    /**
     * How it is kept.
     *
     * @return the configuration
     */
    public SpoolConfig config() {
        return config;
    }

    /**
     * How many bytes the batches have on the disk.
     *
     * @return bytes; for any thread
     */
    public long bytes() {
        return directory.bytes();
    }

    /**
     * Says whether a file is one of this spool.
     *
     * @param channel an open file, or null
     * @return true if it is the very one; for any thread
     */
    public boolean owns(FileChannel channel) {
        return directory.owns(channel);
    }

    /**
     * Says whether batches can be stored now.
     *
     * @param batches how many
     * @param size how large they are together
     * @return false if the spool is full, stuck or not to be used
     */
    public boolean takes(int batches, long size) {
        return usable && !stuck && directory.bytes() + reserved + withEntries(batches, size) <= config.maxBytes();
    }

    private static long withEntries(int batches, long size) {
        return size + (long) batches * Segment.ENTRY_BOUND;
    }

    /**
     * Where regions of files are transferred from.
     *
     * @return runs tasks on the spool's thread
     */
    public Executor files() {
        return task -> {
            watch();
            thread.execute(() -> {
                task.run();
                loop.execute(this::ended);
            });
        };
    }

    /**
     * Stores batches, all or none.
     *
     * @param batches in their order
     * @param onStored told where they are
     * @param onRefused told that they are not there; with null if it was not even tried
     */
    public void store(List<Unstored> batches, Consumer<List<SpoolEntry>> onStored, Consumer<IOException> onRefused) {
        long size = withEntries(
                batches.size(),
                batches.stream().mapToLong(each -> each.bytes().remaining()).sum());
        reserved += size;
        storing++;
        watch();
        thread.execute(new Storing(batches, size, onStored, onRefused));
    }

    /** The one operation that can be taken back: nothing depends on it yet. */
    private final class Storing implements Runnable {
        private final List<Unstored> batches;
        private final long size;
        private final Consumer<List<SpoolEntry>> onStored;
        private final Consumer<IOException> onRefused;

        private Storing(
                List<Unstored> batches,
                long size,
                Consumer<List<SpoolEntry>> onStored,
                Consumer<IOException> onRefused) {
            this.batches = batches;
            this.size = size;
            this.onStored = onStored;
            this.onRefused = onRefused;
        }

        @Override
        public void run() {
            try {
                List<SpoolEntry> entries = directory.store(batches, System.currentTimeMillis());
                end(() -> onStored.accept(entries));
            } catch (IOException failure) {
                end(() -> onRefused.accept(failure));
            } catch (RuntimeException unexpected) {
                end(() -> onRefused.accept(new IOException("unexpected", unexpected)));
            }
        }

        private void end(Runnable outcome) {
            loop.execute(() -> {
                reserved -= size;
                ended();
                outcome.run();
                decided();
            });
        }

        private void withdrawn() {
            reserved -= size;
            onRefused.accept(null);
            decided();
        }
    }

    private void decided() {
        storing--;
        if (storing == 0 && allDecided != null) {
            allDecided.complete(null);
        }
    }

    /**
     * Takes no more batches. A batch that is being stored just now may be delivered by the next producer, and is not to be told of as failed before that is decided.
     *
     * @return completes on the loop when none is being stored, at once if none is
     */
    public CompletableFuture<Void> takeNoMore() {
        usable = false;
        allDecided = new CompletableFuture<>();
        if (storing == 0) {
            allDecided.complete(null);
        }
        return allDecided;
    }

    /**
     * Writes down under what a batch is going to be sent.
     *
     * @param entry the batch
     * @param attempt under what
     * @param onDone told when that is done
     * @param onFailure told that it is not
     */
    public void stamp(SpoolEntry entry, Attempt attempt, Runnable onDone, Consumer<IOException> onFailure) {
        ask(
                () -> {
                    directory.stamp(entry, attempt);
                    return null;
                },
                nothing -> onDone.run(),
                onFailure);
    }

    /**
     * Writes down that a batch is in the log or was given up.
     *
     * @param entry the batch
     * @param onDone told when that is done
     * @param onFailure told that it is not
     */
    public void settle(SpoolEntry entry, Runnable onDone, Consumer<IOException> onFailure) {
        ask(
                () -> {
                    directory.settle(entry);
                    return null;
                },
                nothing -> onDone.run(),
                onFailure);
    }

    /**
     * Writes down that it cannot be found out whether a batch is in the log.
     *
     * @param entry the batch
     * @param why for people
     * @param onDone told when that is done
     * @param onFailure told that it is not
     */
    public void undecided(SpoolEntry entry, String why, Runnable onDone, Consumer<IOException> onFailure) {
        ask(
                () -> {
                    directory.undecided(entry, why);
                    return null;
                },
                nothing -> onDone.run(),
                onFailure);
    }

    /**
     * Reads a batch, as nothing else can prove that it is there.
     *
     * @param entry the batch
     * @param onRead told its bytes
     * @param onFailure told that it cannot be read, or is not what was written
     */
    public void read(SpoolEntry entry, Consumer<ByteBuffer> onRead, Consumer<IOException> onFailure) {
        ask(() -> directory.read(entry), onRead, onFailure);
    }

    /**
     * Reads what was recovered.
     *
     * @param found the batches
     * @param onSeen told the same batches, and which of them cannot be read
     */
    public void verify(List<Recovered> found, Consumer<List<Recovered>> onSeen) {
        ask(() -> directory.verify(found), onSeen, impossible -> {});
    }

    /**
     * Gives up the segment of a batch: what can be read of it is copied, and it is not read any more.
     *
     * @param entry a batch in it
     * @param onDone told which batches cannot be read
     * @param onFailure told that even that failed
     */
    public void setAside(
            SpoolEntry entry, Consumer<Map<SpoolEntry, IOException>> onDone, Consumer<IOException> onFailure) {
        Segment bad = entry.location().segment();
        ask(() -> directory.setAside(bad), onDone, onFailure);
    }

    private <T> void ask(Operation<T> operation, Consumer<T> onDone, Consumer<IOException> onFailure) {
        watch();
        thread.execute(() -> {
            try {
                T result = operation.run();
                loop.execute(() -> {
                    ended();
                    onDone.accept(result);
                });
            } catch (IOException failure) {
                failed(failure, onFailure);
            } catch (RuntimeException unexpected) {
                failed(new IOException("unexpected", unexpected), onFailure);
            }
        });
    }

    private void failed(IOException failure, Consumer<IOException> onFailure) {
        loop.execute(() -> {
            ended();
            onFailure.accept(failure);
        });
    }

    private void watch() {
        if (pending == 0) {
            thread.awaited();
        }
        pending++;
        watchOn();
    }

    private void watchOn() {
        if (watchdog == null && !stuck && pending > 0) {
            watchdog = loop.watchdogs()
                    .arm(
                            Watchdog.SPOOL,
                            config.directory().toString(),
                            () -> thread.deadline(config.timeout()),
                            this::stuck);
        }
    }

    private void stuck() {
        watchdog = null;
        stuck = true;
        List<Runnable> notBegun = thread.withdraw();
        for (Runnable each : notBegun) {
            if (each instanceof Storing storing) {
                pending--;
                storing.withdrawn();
            } else {
                thread.execute(each); // others wait for it, however long it takes
            }
        }
        // Where nothing had begun it was the process that stood still, frozen perhaps: no end of anything would tell
        // that the disk is well.
        stuck = pending > 0;
    }

    private void ended() {
        stuck = false;
        pending--;
        if (pending == 0 && watchdog != null) {
            watchdog.disarm();
            watchdog = null;
        }
        watchOn();
    }

    /** Lets go of the directory when everything is done that was asked for; does not wait. */
    public void close() {
        usable = false;
        thread.execute(() -> {
            try {
                directory.close();
            } catch (IOException failure) {
                LOG.warn("The spool {} was not closed well", config.directory(), failure);
            }
        });
        thread.end();
    }

    /**
     * Waits after {@link #close} until another one may have the directory.
     *
     * @param most for how long; a disk that hangs is not waited for any longer
     * @throws InterruptedException if the caller was interrupted meanwhile
     */
    public void awaitEnd(Duration most) throws InterruptedException {
        thread.awaitEnd(most.toMillis());
    }
}
