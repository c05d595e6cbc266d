package io.faultline.classifier;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The checks of one log directory: a bounded queue of failures and a slot that one thread holds while it works through them, so that at most
 * one re-read runs in the directory, over all its files.
 *
 * <p>The thread is made when there is work and ends when there is none. It alone touches the disk, so a hung disk holds up its own
 * directory only.
 */
final class DirectoryChecks {

    /** How long a thread without work keeps the slot, so that a burst does not make a thread for each failure. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long a scheduler that refused is left alone. */
    private static final long AFTER_REFUSAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final LogDirectory directory;
    private final CheckSettings settings;
    private final HostFile files;
    private final Verdicts verdicts;
    private final ReadBudget budget;

    /** Verdicts that need no re-read. */
    private final Lane proven;

    private final LongAdder provenPending = new LongAdder();

    /** Guards the queue, the batch and the slot. */
    private final Object lock = new Object();

    private final Deque<Pending> queue = new ArrayDeque<>();
    private List<Pending> batch = List.of();
    private boolean slotTaken;
    private volatile boolean closed;
    private volatile long refusedAt;
    private volatile boolean refused;

    private volatile long readingSince;
    private volatile boolean reading;

    private final LongAdder dropped = new LongAdder();
    private final LongAdder expired = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder suspectedTransient = new LongAdder();
    private final Map<DirectoryStatus.Outcome, LongAdder> outcomes = new ConcurrentHashMap<>();
    private final Map<OwnerAction, LongAdder> actions = new ConcurrentHashMap<>();

    DirectoryChecks(LogDirectory directory, CheckSettings settings, HostFile files, Verdicts verdicts) {
        this.directory = directory;
        this.settings = settings;
        this.files = files;
        this.verdicts = verdicts;
        this.budget = new ReadBudget(settings.bytesPerSecond());
        this.proven = new Lane("verdict-" + directory.path(), settings.queueCapacity());
    }

    /** What becomes of a verdict: told to the owner and to the feed. */
    @FunctionalInterface
    interface Verdicts {
        /**
         * Tells a verdict; never throws.
         *
         * @return what became of it at the owner
         */
        OwnerAction tell(LogDirectory directory, Classification classification);
    }

    // ---- the drain thread ----

    /** Takes a failure into the queue, or counts it as dropped. */
    void offer(Pending failure) {
        if (failure.transfer().readFailedByItself()) {
            offerProven(failure);
            return;
        }
        synchronized (lock) {
            if (closed) {
                expired.increment();
            } else if (queue.size() + batch.size() >= settings.queueCapacity()) {
                dropped.increment();
            } else {
                queue.addLast(failure);
                lock.notifyAll();
            }
        }
    }

    /** A read that failed by itself needs no re-read, so it must not wait behind one that hangs. */
    private void offerProven(Pending failure) {
        provenPending.increment();
        boolean taken = proven.offer(() -> {
            try {
                if (isOffline()) {
                    skip(List.of(failure));
                } else {
                    IOException read = failure.transfer().failure() instanceof IOException thrown ? thrown : null;
                    conclude(
                            List.of(failure),
                            Verdict.DISK,
                            Reason.READ_FAILED_IN_TRANSFER,
                            failure.region().position(),
                            read,
                            System.nanoTime());
                }
            } finally {
                provenPending.decrement();
            }
        });
        if (!taken) {
            dropped.increment();
            provenPending.decrement();
        }
    }

    /** Gives the slot to a thread of the scheduler, if there is work and the slot is free. */
    void schedule(long now) {
        synchronized (lock) {
            if (slotTaken || queue.isEmpty() || (refused && now - refusedAt < AFTER_REFUSAL_NANOS)) {
                return;
            }
            slotTaken = true;
        }
        try {
            settings.scheduler().execute(this::work);
        } catch (Throwable notTaken) { // refused, or no thread to be had: the next tick tries again
            synchronized (lock) {
                slotTaken = false;
                refused = true;
                refusedAt = now;
            }
        }
    }

    /** Gives up failures that have waited too long. What is being checked has not waited. */
    void expire(long now) {
        synchronized (lock) {
            long longest = settings.longestWait().toNanos();
            for (Iterator<Pending> waiting = queue.iterator(); waiting.hasNext(); ) {
                if (waiting.next().ageNanos(now) > longest) {
                    waiting.remove();
                    expired.increment();
                }
            }
        }
    }

    /** Gives up everything that waits. A re-read that runs is left alone; its verdicts are given up when it ends. */
    void close() {
        synchronized (lock) {
            closed = true;
            expired.add(queue.size());
            queue.clear();
            lock.notifyAll();
        }
    }

    // ---- the check thread, which holds the slot ----

    private void work() {
        boolean slotGivenBack = false;
        RegionReader reader = null;
        try {
            while (!slotGivenBack) {
                List<Pending> next = awaitBatch();
                if (next == null) {
                    slotGivenBack = true;
                } else {
                    try {
                        if (isOffline()) {
                            skip(next);
                        } else {
                            reader = reader == null ? new RegionReader() : reader;
                            check(next, reader);
                        }
                    } catch (Throwable ownFault) { // an Error too: neither the slot nor a failure may be lost with it
                        conclude(next, Verdict.INCONCLUSIVE, Reason.CHECK_FAILED, -1, null, System.nanoTime());
                    }
                }
            }
        } finally {
            if (!slotGivenBack) {
                synchronized (lock) {
                    slotTaken = false;
                }
            }
        }
    }

    /**
     * Waits for work, then takes one failure out of the queue, and with it all others whose regions of the same file meet its own: one pass
     * reads them all.
     *
     * @return the failures, possibly none; null when the thread is to end, and then the slot has been given back
     */
    private List<Pending> awaitBatch() {
        Pending first;
        List<Pending> candidates;
        synchronized (lock) {
            batch = List.of();
            long deadline = System.nanoTime() + LINGER_NANOS;
            while (queue.isEmpty()) {
                long left = deadline - System.nanoTime();
                if (closed || left <= 0) {
                    // Under the lock: a failure that comes now finds the slot free.
                    slotTaken = false;
                    return null;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(lock, left);
                } catch (InterruptedException stranger) { // nobody of ours interrupts; work on
                    continue;
                }
            }
            first = mostUrgent();
            candidates = new ArrayList<>(queue);
        }
        // Asks the system which file is which, so not under the lock that the drain thread takes.
        candidates.removeIf(other -> !other.sameFile(first, files));
        candidates.sort(Comparator.comparingLong(failure -> failure.region().position()));
        List<Pending> connected = connectedWith(first, candidates);
        synchronized (lock) {
            connected.removeIf(failure -> !queue.remove(failure)); // what expired meanwhile
            batch = connected;
        }
        return connected;
    }

    /** The oldest failure that hints at a media error, else the oldest. */
    private Pending mostUrgent() {
        for (Pending failure : queue) {
            if (failure.hint() == Hint.MEDIA_ERROR) {
                return failure;
            }
        }
        return queue.peekFirst();
    }

    /** Of failures sorted by position, the run of meeting regions that the first one is part of. */
    private static List<Pending> connectedWith(Pending first, List<Pending> sorted) {
        List<Pending> run = new ArrayList<>();
        Region cover = null;
        for (Pending failure : sorted) {
            if (cover != null && cover.meets(failure.region())) {
                cover = cover.cover(failure.region());
            } else if (run.contains(first)) {
                break;
            } else {
                run.clear();
                cover = failure.region();
            }
            run.add(failure);
        }
        return run;
    }

    private boolean isOffline() {
        LogDirOwner owner = directory.owner();
        try {
            return owner != null && owner.isOffline(directory.path());
        } catch (Throwable ownersOwn) { // an owner that cannot say is no reason not to look
            return false;
        }
    }

    private void skip(List<Pending> failures) {
        for (Pending failure : failures) {
            skipped.increment();
            failure.settle();
        }
    }

    private void check(List<Pending> failures, RegionReader reader) {
        long began = System.nanoTime();
        List<Pending> left = new ArrayList<>(failures);
        boolean byPath = false;
        while (!left.isEmpty()) {
            ReadOutcome outcome;
            if (byPath) {
                outcome = readByPath(left, reader);
            } else {
                outcome = readAgain(left, reader);
                if (outcome.end() == ReadOutcome.End.CLOSED && directory.owner() == null) {
                    byPath = true;
                    continue;
                }
            }
            settleBehindEachOther(left, outcome, byPath, began);
            left.removeIf(Pending::settled);
        }
    }

    /**
     * Gives their verdicts to all failures that one pass can judge. Those that begin behind an unreadable position are left for a pass of their own.
     */
    private void settleBehindEachOther(List<Pending> failures, ReadOutcome outcome, boolean byPath, long began) {
        for (Pending failure : failures) {
            boolean wasRead = failure.region().end() <= outcome.position();
            if (outcome.end() == ReadOutcome.End.ABANDONED) {
                expired.increment();
                failure.settle();
            } else if (wasRead) {
                Verdict verdict = failure.transfer().targetKind().hasPeer() ? Verdict.SOCKET : Verdict.TARGET;
                conclude(List.of(failure), verdict, Reason.REGION_READABLE, -1, null, began);
            } else if (outcome.end() == ReadOutcome.End.FAILED) {
                if (failure.region().position() <= outcome.position()) {
                    conclude(
                            List.of(failure),
                            Verdict.DISK,
                            byPath ? Reason.READ_FAILED_BY_PATH : Reason.READ_FAILED,
                            outcome.position(),
                            outcome.failure(),
                            began);
                }
            } else {
                conclude(List.of(failure), Verdict.INCONCLUSIVE, reasonOf(outcome.end()), -1, null, began);
            }
        }
    }

    private static Reason reasonOf(ReadOutcome.End end) {
        return switch (end) {
            case END_OF_FILE -> Reason.END_OF_FILE;
            case NO_PROGRESS -> Reason.NO_PROGRESS;
            case CLOSED -> Reason.CHANNEL_CLOSED;
            case READABLE, FAILED, ABANDONED -> Reason.UNKNOWN;
        };
    }

    /** Reads through a descriptor of our own where that can be had, else through the host's channel. */
    private ReadOutcome readAgain(List<Pending> failures, RegionReader reader) {
        Region region = coverOf(failures);
        for (Pending failure : failures) {
            FileChannel host = failure.transfer().channel();
            if (host.isOpen()) {
                ReadOutcome outcome;
                FileChannel own = timed(() -> files.openAgain(host));
                if (own != null) {
                    try {
                        outcome = read(own, region, reader);
                    } finally {
                        HostFile.closeQuietly(own);
                    }
                } else {
                    outcome = read(host, region, reader);
                }
                if (outcome.end() != ReadOutcome.End.CLOSED) {
                    return outcome;
                }
            }
        }
        return new ReadOutcome(ReadOutcome.End.CLOSED, region.position(), null);
    }

    /** The host closed the file when its send failed, as most servers do, and nobody claims the directory. */
    private ReadOutcome readByPath(List<Pending> failures, RegionReader reader) {
        Region region = coverOf(failures);
        String name = failures.get(0).file();
        FileChannel own = name == null
                ? null
                : timed(() -> {
                    try {
                        return FileChannel.open(Path.of(name), StandardOpenOption.READ);
                    } catch (IOException | RuntimeException gone) { // deleted, renamed, or the disk: nothing is proven
                        return null;
                    }
                });
        if (own == null) {
            return new ReadOutcome(ReadOutcome.End.CLOSED, region.position(), null);
        }
        try {
            return read(own, region, reader);
        } finally {
            HostFile.closeQuietly(own);
        }
    }

    private ReadOutcome read(FileChannel file, Region region, RegionReader reader) {
        return timed(() -> reader.read(file, region, budget, bytesRead::add, () -> closed));
    }

    /** Makes visible how long the disk has been at it. */
    private <T> T timed(Supplier<T> disk) {
        readingSince = System.nanoTime();
        reading = true;
        try {
            return disk.get();
        } finally {
            reading = false;
        }
    }

    private static Region coverOf(List<Pending> failures) {
        Region cover = failures.get(0).region();
        for (Pending failure : failures) {
            cover = cover.cover(failure.region());
        }
        return cover;
    }

    private void conclude(
            List<Pending> failures, Verdict verdict, Reason reason, long unreadable, IOException read, long began) {
        for (Pending failure : failures) {
            if (failure.settled()) {
                continue;
            }
            if (closed) { // whoever detached or closed does not want to be acted upon any more
                expired.increment();
            } else {
                Classification classification = classify(failure, verdict, reason, unreadable, read, began);
                OwnerAction action = verdicts.tell(directory, classification);
                if (action != OwnerAction.NONE) {
                    actions.computeIfAbsent(action, key -> new LongAdder()).increment();
                }
                if (classification.suspectedTransient()) {
                    suspectedTransient.increment();
                }
                outcomes.computeIfAbsent(new DirectoryStatus.Outcome(verdict, reason), key -> new LongAdder())
                        .increment();
            }
            failure.settle();
        }
    }

    private Classification classify(
            Pending failure, Verdict verdict, Reason reason, long unreadable, IOException read, long began) {
        FailedTransfer transfer = failure.transfer();
        String today = files.nameToday(transfer.channel());
        String file = today != null ? today : failure.file();
        return new Classification(
                verdict,
                reason,
                failure.hint(),
                OwnerAction.NONE,
                directory.path(),
                directory.owner() == null ? null : directory.owner().name(),
                file,
                transfer.region(),
                unreadable,
                transfer.targetKind(),
                file == null ? Mount.UNKNOWN : settings.mounts().mountOf(file),
                transfer.failure(),
                read,
                Instant.ofEpochMilli(transfer.failedMillis()),
                Duration.ofNanos(Math.max(0, began - transfer.failedNanos())),
                Duration.ofNanos(System.nanoTime() - began),
                transfer.channel(),
                transfer.target());
    }

    // ---- anybody ----

    /** Says whether a thread holds the slot. */
    boolean busy() {
        synchronized (lock) {
            return slotTaken;
        }
    }

    LogDirectory directory() {
        return directory;
    }

    long count(DirectoryStatus.Outcome outcome) {
        LongAdder count = outcomes.get(outcome);
        return count == null ? 0 : count.sum();
    }

    long count(OwnerAction action) {
        LongAdder count = actions.get(action);
        return count == null ? 0 : count.sum();
    }

    long dropped() {
        return dropped.sum();
    }

    long bytesRead() {
        return bytesRead.sum();
    }

    long suspectedTransient() {
        return suspectedTransient.sum();
    }

    DirectoryStatus status() {
        long now = System.nanoTime();
        long pending = 0;
        long oldest = 0;
        synchronized (lock) {
            for (Pending failure : queue) {
                oldest = Math.max(oldest, failure.ageNanos(now));
            }
            pending = queue.size() + provenPending.sum();
            for (Pending failure : batch) {
                if (!failure.settled()) {
                    pending++;
                    oldest = Math.max(oldest, failure.ageNanos(now));
                }
            }
        }
        boolean runs = reading;
        Map<DirectoryStatus.Outcome, Long> byOutcome = new ConcurrentHashMap<>();
        outcomes.forEach((outcome, count) -> byOutcome.put(outcome, count.sum()));
        Map<OwnerAction, Long> byAction = new EnumMap<>(OwnerAction.class);
        actions.forEach((action, count) -> byAction.put(action, count.sum()));
        return new DirectoryStatus(
                directory,
                pending,
                runs,
                Duration.ofNanos(runs ? Math.max(0, now - readingSince) : 0),
                Duration.ofNanos(oldest),
                Map.copyOf(byOutcome),
                dropped.sum(),
                expired.sum(),
                skipped.sum(),
                bytesRead.sum(),
                suspectedTransient.sum(),
                Map.copyOf(byAction));
    }
}
