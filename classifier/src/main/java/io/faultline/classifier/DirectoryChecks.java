package io.faultline.classifier;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

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
    private final OwnerCalls owner;
    private final CheckSettings settings;
    private final HostFile files;
    private final Verdicts verdicts;
    private final DirectoryCounts counts = new DirectoryCounts();
    private final Reread reread;

    /** Verdicts that need no re-read. */
    private final Lane proven;

    private final LongAdder provenPending = new LongAdder();

    /** Guards the queue, the batch and the slot. */
    private final Object lock = new Object();

    private final Set<Pending> queue = new LinkedHashSet<>();
    private List<Pending> batch = List.of();
    private boolean slotTaken;
    private long notBefore = System.nanoTime();
    private volatile boolean closed;

    /**
     * Makes the checks of a directory.
     *
     * @param owner who claims the directory, or null
     */
    DirectoryChecks(
            LogDirectory directory, OwnerCalls owner, CheckSettings settings, HostFile files, Verdicts verdicts) {
        this.directory = directory;
        this.owner = owner;
        this.settings = settings;
        this.files = files;
        this.verdicts = verdicts;
        this.reread = new Reread(files, new ReadBudget(settings.bytesPerSecond()), counts, () -> closed);
        this.proven = new Lane("verdict-" + directory.path(), settings.queueCapacity());
    }

    /** What becomes of a verdict: told to the owner and to the feed. */
    @FunctionalInterface
    interface Verdicts {
        /**
         * Tells a verdict.
         *
         * @return what became of it at the owner
         */
        OwnerAction tell(OwnerCalls owner, Classification classification);
    }

    // ---- the drain thread ----

    /** Takes a failure into the queue, or counts it as dropped. */
    void offer(Pending failure) {
        FailedTransfer transfer = failure.transfer();
        if (transfer.readFailedByItself() && transfer.failure() instanceof IOException read) {
            offerProven(failure, read);
            return;
        }
        synchronized (lock) {
            if (closed) {
                counts.expired.increment();
            } else if (queue.size() + batch.size() >= settings.queueCapacity()) {
                counts.dropped.increment();
            } else {
                queue.add(failure);
                lock.notifyAll();
            }
        }
    }

    /** A read that failed by itself needs no re-read, so it must not wait behind one that hangs. */
    private void offerProven(Pending failure, IOException read) {
        provenPending.increment();
        boolean taken = proven.offer(() -> {
            try {
                if (isOffline()) {
                    skip(List.of(failure));
                } else {
                    long position = failure.region().position();
                    conclude(failure, Verdict.DISK, Reason.READ_FAILED_IN_TRANSFER, position, read, System.nanoTime());
                }
            } finally {
                provenPending.decrement();
            }
        });
        if (!taken) {
            (closed ? counts.expired : counts.dropped).increment();
            provenPending.decrement();
        }
    }

    /** Gives the slot to a thread of the scheduler, if there is work and the slot is free. */
    void schedule(long now) {
        synchronized (lock) {
            if (slotTaken || queue.isEmpty() || now - notBefore < 0) {
                return;
            }
            slotTaken = true;
        }
        try {
            settings.scheduler().execute(this::work);
        } catch (Throwable notTaken) { // refused, or no thread to be had: a later tick tries again
            giveSlotBack(now + AFTER_REFUSAL_NANOS);
        }
    }

    /** Gives up failures that have waited too long. What is being checked has not waited. */
    void expire(long now) {
        long longest = settings.longestWait().toNanos();
        synchronized (lock) {
            for (Iterator<Pending> waiting = queue.iterator(); waiting.hasNext(); ) {
                if (waiting.next().ageNanos(now) > longest) {
                    waiting.remove();
                    counts.expired.increment();
                }
            }
        }
    }

    /** Says whether nothing waits and no thread is at work. */
    boolean idle() {
        synchronized (lock) {
            return queue.isEmpty() && !slotTaken && provenPending.sum() == 0;
        }
    }

    // ---- the check thread, which holds the slot ----

    private void work() {
        try {
            for (List<Pending> next = awaitBatch(); next != null; next = awaitBatch()) {
                check(next);
            }
        } catch (Throwable ownFault) { // an Error too: neither the slot nor a failure may be lost with it
            // Only this thread changes the batch.
            for (Pending failure : batch) {
                conclude(failure, Verdict.INCONCLUSIVE, Reason.CHECK_FAILED, -1, null, System.nanoTime());
            }
            giveSlotBack(System.nanoTime());
        }
    }

    private void giveSlotBack(long takeNotBefore) {
        synchronized (lock) {
            batch = List.of();
            slotTaken = false;
            notBefore = takeNotBefore;
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
        return queue.iterator().next();
    }

    /** Of failures sorted by position, the run of meeting regions that the first one is part of. */
    private static List<Pending> connectedWith(Pending first, List<Pending> sorted) {
        List<Pending> run = new ArrayList<>();
        Region cover = null;
        boolean complete = false;
        for (Pending failure : sorted) {
            if (cover != null && cover.meets(failure.region())) {
                cover = cover.cover(failure.region());
            } else if (complete) {
                break;
            } else {
                run.clear();
                cover = failure.region();
            }
            run.add(failure);
            complete |= failure == first;
        }
        return run;
    }

    private boolean isOffline() {
        return owner != null && owner.isOffline(directory.path());
    }

    private void skip(List<Pending> failures) {
        for (Pending failure : failures) {
            counts.skipped.increment();
            failure.settle();
        }
    }

    private void check(List<Pending> failures) {
        long began = System.nanoTime();
        List<Pending> left = new ArrayList<>(failures);
        boolean byPath = false;
        while (!left.isEmpty()) {
            // Asked for each pass: the verdicts of the last one may have taken the directory offline.
            if (isOffline()) {
                skip(left);
                return;
            }
            ReadOutcome outcome = observed(left, byPath);
            if (outcome.end() == ReadOutcome.End.CLOSED && owner == null && !byPath) {
                byPath = true;
            } else {
                settle(left, outcome, byPath, began);
                left.removeIf(Pending::settled);
            }
        }
    }

    private ReadOutcome observed(List<Pending> failures, boolean byPath) {
        CheckObserver.End end = null;
        try {
            end = settings.observer().begun(directory.path(), failures.get(0).file(), Reread.coverOf(failures));
        } catch (Throwable observers) { // the check goes on unobserved
        }
        ReadOutcome outcome = byPath ? reread.byPath(failures) : reread.throughChannel(failures);
        try {
            if (end != null) {
                String how = outcome.end().name().toLowerCase(Locale.ROOT);
                end.ended(how, outcome.position(), outcome.failure());
            }
        } catch (Throwable observers) { // as above
        }
        return outcome;
    }

    /**
     * Gives their verdicts to all failures that one pass can judge. Those that begin behind an unreadable position are left for a pass of their own.
     */
    private void settle(List<Pending> failures, ReadOutcome outcome, boolean byPath, long began) {
        for (Pending failure : failures) {
            Region region = failure.region();
            if (region.end() <= outcome.position() && outcome.end() != ReadOutcome.End.ABANDONED) {
                Verdict verdict = failure.transfer().targetKind().hasPeer() ? Verdict.SOCKET : Verdict.TARGET;
                conclude(failure, verdict, Reason.REGION_READABLE, -1, null, began);
                continue;
            }
            switch (outcome.end()) {
                case FAILED -> {
                    if (region.position() <= outcome.position()) {
                        Reason reason = byPath ? Reason.READ_FAILED_BY_PATH : Reason.READ_FAILED;
                        conclude(failure, Verdict.DISK, reason, outcome.position(), outcome.failure(), began);
                    }
                }
                case END_OF_FILE -> inconclusive(failure, Reason.END_OF_FILE, began);
                case NO_PROGRESS -> inconclusive(failure, Reason.NO_PROGRESS, began);
                case CLOSED -> inconclusive(failure, Reason.CHANNEL_CLOSED, began);
                case ABANDONED -> expire(failure);
                case READABLE -> throw new AssertionError("read, but not to the end of " + region);
                default -> throw new AssertionError(outcome.end());
            }
        }
    }

    private void inconclusive(Pending failure, Reason reason, long began) {
        conclude(failure, Verdict.INCONCLUSIVE, reason, -1, null, began);
    }

    private void expire(Pending failure) {
        counts.expired.increment();
        failure.settle();
    }

    /** Tells a verdict, and counts it whatever comes of that. Never throws. */
    private void conclude(
            Pending failure, Verdict verdict, Reason reason, long unreadable, IOException read, long began) {
        if (failure.settled()) {
            return;
        }
        if (closed) { // whoever detached or closed does not want to be acted upon any more
            expire(failure);
            return;
        }
        try {
            Classification classification = classify(failure, verdict, reason, unreadable, read, began);
            if (classification.suspectedTransient()) {
                counts.suspectedTransient.increment();
            }
            counts.action(verdicts.tell(owner, classification));
        } catch (Throwable ownFault) { // an Error: the verdict stands, though not everybody was told
            counts.action(verdict == Verdict.DISK && owner != null ? OwnerAction.ERROR : OwnerAction.NONE);
        } finally {
            counts.verdict(new DirectoryStatus.Outcome(verdict, reason));
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
                owner == null ? null : owner.name(),
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

    /**
     * Gives up everything that waits. A re-read that runs is left alone; its verdicts are given up when it ends. May be repeated.
     */
    void close() {
        synchronized (lock) {
            closed = true;
            counts.expired.add(queue.size());
            queue.clear();
            lock.notifyAll();
        }
        proven.finish();
    }

    /** Says whether a thread of this directory runs. */
    boolean busy() {
        synchronized (lock) {
            return slotTaken || proven.isBusy();
        }
    }

    LogDirectory directory() {
        return directory;
    }

    DirectoryCounts counts() {
        return counts;
    }

    DirectoryStatus status() {
        long now = System.nanoTime();
        long pending;
        long oldest = 0;
        synchronized (lock) {
            for (Pending failure : queue) {
                oldest = Math.max(oldest, failure.ageNanos(now));
            }
            // Read before the counts: what is settled meanwhile shows twice, never not at all.
            pending = queue.size() + provenPending.sum();
            for (Pending failure : batch) {
                if (!failure.settled()) {
                    pending++;
                    oldest = Math.max(oldest, failure.ageNanos(now));
                }
            }
        }
        boolean runs = reread.running();
        return new DirectoryStatus(
                directory,
                pending,
                runs,
                Duration.ofNanos(runs ? reread.runningNanos(now) : 0),
                Duration.ofNanos(oldest),
                counts.byOutcome(),
                counts.dropped.sum(),
                counts.expired.sum(),
                counts.skipped.sum(),
                counts.bytesRead.sum(),
                counts.suspectedTransient.sum(),
                counts.byAction());
    }
}
