package io.faultline.classifier;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Tells a failing disk from a vanished client: takes failed transfers, reads the region of each again on a thread of its own, and
 * publishes a {@link Classification} for each to a {@link FailureFeed}.
 *
 * <p>{@link #submit} may be called from any thread and costs it one queue insert: no I/O, no lock, no wake-up of a thread. A drain
 * thread takes the failures out of the queue every few milliseconds and sorts them by log directory; each directory with work
 * has a thread that re-reads one region at a time. Every failed transfer ends as exactly one of verdict, dropped, expired or
 * skipped, see {@link Accounts}. No fault in here reaches the caller.
 *
 * <p>As a plain library, without any agent:
 *
 * <pre>{@code
 * FailureFeed feed = new FailureFeed();
 * feed.observe("log", verdict -> log.warn("{}", verdict));
 * try (FailureClassifier classifier = FailureClassifier.publishingTo(feed).build()) {
 *     ...
 *     try {
 *         file.transferTo(position, count, socket);
 *     } catch (IOException failure) {
 *         classifier.submit(FailedTransfer.ofTransfer(file, name, position, count, socket, failure));
 *         throw failure;
 *     }
 * }
 * }</pre>
 */
public final class FailureClassifier implements AutoCloseable {

    /**
     * Directories beyond this number are lumped together, so that a mapping gone wild takes neither memory nor threads.
     */
    public static final int MOST_DIRECTORIES = 256;

    /** How many failures may wait to be sorted by directory, unless {@link Builder#inboxCapacity} says otherwise. */
    public static final int INBOX_CAPACITY = 4_096;

    /** How many failures of one directory may wait, unless {@link Builder#queueCapacity} says otherwise. */
    public static final int QUEUE_CAPACITY = 1_024;

    private static final long HOUSEKEEPING_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final FailureFeed feed;
    private final LogDirMapping mapping;
    private final FailureHints hints;
    private final ActionPolicy policy;
    private final Predicate<String> only;
    private final CheckSettings settings;
    private final HostFile files;
    private final int inboxCapacity;
    private final long tickNanos;

    private final Queue<FailedTransfer> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inboxSize = new AtomicInteger();
    private final LongAdder handedOver = new LongAdder();
    private final LongAdder droppedAtInbox = new LongAdder();
    private final LongAdder expiredAtInbox = new LongAdder();
    private final LongAdder excluded = new LongAdder();
    private final LongAdder ownErrors = new LongAdder();

    /** Put into and taken out of by the drain thread only. */
    private final Map<LogDirectory, DirectoryChecks> directories = new ConcurrentHashMap<>();

    private final Map<LogDirOwner, OwnerCalls> owners = new ConcurrentHashMap<>();
    private final List<Consumer<LogDirectory>> onDirectory = new CopyOnWriteArrayList<>();

    /** Guards the retired counts, and that no directory is counted both here and there. */
    private final Object retirement = new Object();

    private long retiredVerdicts;
    private long retiredDropped;
    private long retiredExpired;
    private long retiredSkipped;
    private final Thread drainThread;
    private volatile boolean closed;

    private FailureClassifier(Builder builder) {
        feed = builder.feed;
        hints = builder.hints != null ? builder.hints : FailureHints.learn();
        policy = builder.policy;
        only = builder.only;
        files = new HostFile(builder.descriptors);
        inboxCapacity = builder.inboxCapacity;
        tickNanos = builder.tick.toNanos();
        MountTable mounts = new MountTable();
        settings = new CheckSettings(
                builder.scheduler,
                builder.queueCapacity,
                builder.bytesPerSecond,
                builder.longestWait,
                mounts,
                builder.observer);
        mapping = builder.mapping != null
                ? builder.mapping
                : new OwnersRootsMounts(feed::owners, owner -> callsOf(owner).claimed(), builder.roots, mounts);
        drainThread = FaultlineThreads.start("drain", this::drain);
    }

    /**
     * Begins to build a classifier.
     *
     * @param feed where verdicts are published, and whose owners are asked and told
     * @return a builder with the defaults
     */
    public static Builder publishingTo(FailureFeed feed) {
        return new Builder(Objects.requireNonNull(feed, "feed"));
    }

    /**
     * Takes a failed transfer. Returns at once and never throws; where the queue is full the failure is counted as dropped. What is
     * not {@linkplain FailedTransfer#isWorthACheck worth a check} is not taken and not counted.
     *
     * @param transfer the failure
     */
    public void submit(FailedTransfer transfer) {
        if (transfer == null || !FailedTransfer.isWorthACheck(transfer.failure())) {
            return;
        }
        handedOver.increment();
        if (closed) {
            expiredAtInbox.increment();
        } else if (inboxSize.incrementAndGet() > inboxCapacity) {
            inboxSize.decrementAndGet();
            droppedAtInbox.increment();
        } else {
            try {
                inbox.add(transfer);
            } catch (Throwable noMemory) { // the caller has an exception of its own to throw
                inboxSize.decrementAndGet();
                droppedAtInbox.increment();
            }
            if (closed) { // meanwhile: the drain thread may have looked for the last time
                giveUpInbox();
            }
        }
    }

    /** Calls back for each directory that has checks, now and whenever a further one appears. */
    void onDirectory(Consumer<LogDirectory> callback) {
        onDirectory.add(callback);
        directories.keySet().forEach(callback);
    }

    /** The counts of all directories of this name: those of several owners, or of one that came again. */
    Stream<DirectoryChecks> checksAt(String path) {
        return directories.values().stream()
                .filter(checks -> checks.directory().path().equals(path));
    }

    /**
     * What became of everything that was submitted.
     *
     * @return the accounts; they balance exactly when nothing is pending
     */
    public Accounts accounts() {
        synchronized (retirement) {
            // What moves on meanwhile shows twice, never not at all: the pending first, what was handed over last.
            long pending = inboxSize.get();
            long verdicts = retiredVerdicts;
            long dropped = retiredDropped + droppedAtInbox.sum();
            long expired = retiredExpired + expiredAtInbox.sum();
            long skipped = retiredSkipped + excluded.sum();
            for (DirectoryChecks checks : directories.values()) {
                pending += checks.status().pending();
                DirectoryCounts counts = checks.counts();
                verdicts += counts.verdicts();
                dropped += counts.dropped.sum();
                expired += counts.expired.sum();
                skipped += counts.skipped.sum();
            }
            return new Accounts(handedOver.sum(), verdicts, dropped, expired, skipped, pending);
        }
    }

    /**
     * How the checks stand, directory by directory.
     *
     * @return a copy, in no order; a directory appears with its first failure, and goes when its owner is no longer registered
     */
    public List<DirectoryStatus> directories() {
        List<DirectoryStatus> all = new ArrayList<>();
        directories.values().forEach(checks -> all.add(checks.status()));
        return all;
    }

    /**
     * The directories that registered owners claim, and whether they are offline. Asks the owners, each on a thread of its own: returns within
     * {@link FailureFeed#PATIENCE} for each owner that does not answer, and at once while one still owes the last answer.
     *
     * @return a copy, in the order of registration; what an owner does not say counts as what it said last, and as online
     */
    public List<OwnedDirectory> ownedDirectories() {
        List<OwnedDirectory> owned = new ArrayList<>();
        for (LogDirOwner owner : feed.owners()) {
            OwnerCalls calls = callsOf(owner);
            for (String directory : calls.directories()) {
                owned.add(new OwnedDirectory(directory, calls.name(), calls.isOffline(directory)));
            }
        }
        return owned;
    }

    /**
     * Says which log directory a file belongs to. May ask owners, see {@link #ownedDirectories}; touches no disk.
     *
     * @param openedAs the name that the file was opened by
     * @return its directory, never null
     */
    public LogDirectory directoryOf(String openedAs) {
        return mapping.directoryOf(OwnersRootsMounts.absolute(openedAs));
    }

    /**
     * Names the mount that a file or directory lies on. Touches no disk.
     *
     * @param path its name
     * @return the mount, {@link Mount#UNKNOWN} where it is not known
     */
    public Mount mountOf(String path) {
        return settings.mounts().mountOf(OwnersRootsMounts.absolute(path));
    }

    /**
     * Faults of the classifier's own that cost a failed transfer its directory, but no more. Anything but 0 is a bug.
     *
     * @return the count
     */
    public long ownErrors() {
        return ownErrors.sum();
    }

    /**
     * Failures of files that are not to be checked; they are among the skipped.
     *
     * @return the count
     */
    public long excluded() {
        return excluded.sum();
    }

    /** The texts that hints are taken from. */
    FailureHints hints() {
        return hints;
    }

    /**
     * Ends: what waits is given up and counted as expired, and no verdict is told from now on. A re-read that runs is never interrupted, since
     * that would close the channel that it reads; its thread ends with it. Returns at once.
     */
    @Override
    public void close() {
        closed = true;
        directories.values().forEach(DirectoryChecks::close);
        LockSupport.unpark(drainThread);
    }

    /**
     * Says whether a thread of this classifier may still run. A listener's thread is not the classifier's.
     *
     * @return true until the drain thread, all check threads and all that call owners have ended
     */
    public boolean isBusy() {
        return drainThread.isAlive()
                || directories.values().stream().anyMatch(DirectoryChecks::busy)
                || owners.values().stream().anyMatch(OwnerCalls::isBusy);
    }

    private void drain() {
        long keptHouseAt = System.nanoTime();
        while (!closed) {
            try {
                drainInbox();
                long now = System.nanoTime();
                for (DirectoryChecks checks : directories.values()) {
                    checks.schedule(now);
                }
                if (now - keptHouseAt > HOUSEKEEPING_NANOS) {
                    keptHouseAt = now;
                    directories.values().forEach(checks -> checks.expire(now));
                    retire();
                }
            } catch (Throwable ownFault) { // the next tick must come, whatever happened in this one
                ownErrors.increment();
            }
            Thread.interrupted(); // with a mark that a mapping left, the thread would not park
            if (inbox.isEmpty()) {
                LockSupport.parkNanos(this, tickNanos);
            }
        }
        directories.values().forEach(DirectoryChecks::close);
        owners.values().forEach(OwnerCalls::close);
        giveUpInbox();
    }

    private void giveUpInbox() {
        while (inbox.poll() != null) {
            expiredAtInbox.increment();
            inboxSize.decrementAndGet();
        }
    }

    private void drainInbox() {
        // No more than one inbox full at a time: under a storm the threads must be scheduled too.
        for (int taken = 0; taken < inboxCapacity && !closed; taken++) {
            FailedTransfer transfer = inbox.poll();
            if (transfer == null) {
                return;
            }
            try {
                offer(transfer);
            } catch (Throwable ownFault) { // an Error: it could not even be queued
                ownErrors.increment();
                droppedAtInbox.increment();
            } finally {
                inboxSize.decrementAndGet();
            }
        }
    }

    private void offer(FailedTransfer transfer) {
        Pending failure;
        DirectoryChecks checks;
        try {
            failure = pending(transfer);
            if (failure.file() != null && !only.test(failure.file())) {
                excluded.increment();
                return;
            }
            checks = checksIn(directoryOf(failure));
        } catch (Throwable ownFault) { // then it is checked without a directory
            ownErrors.increment();
            failure = new Pending(transfer, Hint.NONE, transfer.openedAs());
            checks = checksIn(LogDirectory.UNKNOWN);
        }
        checks.offer(failure);
    }

    private Pending pending(FailedTransfer transfer) {
        String file = transfer.openedAs() != null
                ? OwnersRootsMounts.absolute(transfer.openedAs())
                : files.nameToday(transfer.channel());
        return new Pending(transfer, hints.of(transfer.failure()), file);
    }

    private LogDirectory directoryOf(Pending failure) {
        LogDirectory directory = failure.file() == null ? LogDirectory.UNKNOWN : mapping.directoryOf(failure.file());
        boolean room = directories.size() < MOST_DIRECTORIES || directories.containsKey(directory);
        return room ? directory : LogDirectory.UNKNOWN;
    }

    private DirectoryChecks checksIn(LogDirectory directory) {
        DirectoryChecks known = directories.get(directory);
        if (known != null) {
            return known;
        }
        OwnerCalls owner = directory.owner() == null ? null : callsOf(directory.owner());
        DirectoryChecks made = new DirectoryChecks(directory, owner, settings, files, this::tell);
        directories.put(directory, made);
        if (closed) { // meanwhile, and close() may not have seen this one
            made.close();
        }
        onDirectory.forEach(callback -> {
            try {
                callback.accept(directory);
            } catch (Throwable binders) { // meters that cannot be had harm no check
                ownErrors.increment();
            }
        });
        return made;
    }

    private OwnerCalls callsOf(LogDirOwner owner) {
        return owners.computeIfAbsent(owner, OwnerCalls::new);
    }

    /** Lets go of the directories of owners that are no longer registered, and so of the owners; their counts stay in the accounts. */
    private void retire() {
        if (!(mapping instanceof OwnersRootsMounts)) { // another mapping may know owners that never register
            return;
        }
        List<LogDirOwner> registered = feed.owners();
        synchronized (retirement) {
            directories.values().removeIf(checks -> {
                LogDirOwner owner = checks.directory().owner();
                boolean gone = owner != null && !registered.contains(owner) && checks.idle();
                if (gone) {
                    DirectoryCounts counts = checks.counts();
                    retiredVerdicts += counts.verdicts();
                    retiredDropped += counts.dropped.sum();
                    retiredExpired += counts.expired.sum();
                    retiredSkipped += counts.skipped.sum();
                    checks.close();
                }
                return gone;
            });
        }
        owners.entrySet().removeIf(entry -> {
            boolean gone = !registered.contains(entry.getKey())
                    && directories.keySet().stream()
                            .noneMatch(directory -> entry.getKey().equals(directory.owner()));
            if (gone) {
                entry.getValue().close();
            }
            return gone;
        });
    }

    private OwnerAction tell(OwnerCalls owner, Classification classification) {
        OwnerAction action = classification.verdict() == Verdict.DISK && owner != null
                ? owner.takeOffline(classification.directory(), classification, policy, () -> closed)
                : OwnerAction.NONE;
        feed.publish(classification.with(action));
        return action;
    }

    /** Builds a {@link FailureClassifier}. Not safe for use from several threads. */
    public static final class Builder {

        private final FailureFeed feed;
        private FailureHints hints;
        private LogDirMapping mapping;
        private List<String> roots = List.of();
        private ActionPolicy policy = ActionPolicy.ACT;
        private HostDescriptors descriptors = HostDescriptors.find();
        private Executor scheduler = work -> FaultlineThreads.start("check", work);
        private int inboxCapacity = INBOX_CAPACITY;
        private int queueCapacity = QUEUE_CAPACITY;
        private LongSupplier bytesPerSecond = () -> 64L << 20;
        private Predicate<String> only = file -> true;
        private CheckObserver observer = CheckObserver.NONE;
        private Duration longestWait = Duration.ofSeconds(60);
        private Duration tick = Duration.ofMillis(4);

        private Builder(FailureFeed feed) {
            this.feed = feed;
        }

        /**
         * Sets the texts that hints are taken from.
         *
         * @param hints the texts; by default they are learned when the classifier is built
         * @return this
         */
        public Builder hints(FailureHints hints) {
            this.hints = Objects.requireNonNull(hints, "hints");
            return this;
        }

        /**
         * Sets what maps files to log directories.
         *
         * @param mapping by default: the owners' directories, then the roots, then the mount points
         * @return this
         */
        public Builder mapping(LogDirMapping mapping) {
            this.mapping = Objects.requireNonNull(mapping, "mapping");
            return this;
        }

        /**
         * Names directories that fail on their own though no owner claims them, such as one per disk.
         *
         * @param roots the directories; none by default
         * @return this
         */
        public Builder roots(String... roots) {
            this.roots = Arrays.stream(roots).filter(root -> !root.isBlank()).toList();
            return this;
        }

        /**
         * Sets who decides whether an owner is told.
         *
         * @param policy {@link ActionPolicy#ACT} by default
         * @return this
         */
        public Builder policy(ActionPolicy policy) {
            this.policy = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** Sets what tells the descriptors of the host's channels. */
        Builder descriptors(HostDescriptors descriptors) {
            this.descriptors = descriptors;
            return this;
        }

        /**
         * Sets what runs the checks of a directory. Each call may take as long as its disk hangs, so it needs a thread of its own;
         * it must not be interrupted. A scheduler that throws is asked again.
         *
         * @param scheduler by default a new daemon thread for each directory with work
         * @return this
         */
        public Builder scheduler(Executor scheduler) {
            this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
            return this;
        }

        /**
         * Sets how much may be re-read per second and directory.
         *
         * @param bytesPerSecond at least 1; 64 MiB by default. One second's worth may be read at once.
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder bytesPerSecond(long bytesPerSecond) {
            long accepted = atLeastOne("bytesPerSecond", bytesPerSecond);
            return bytesPerSecond(() -> accepted);
        }

        /**
         * Sets how much may be re-read per second and directory, where that can change.
         *
         * @param bytesPerSecond asked before each slice; must return at least 1
         * @return this
         */
        public Builder bytesPerSecond(LongSupplier bytesPerSecond) {
            this.bytesPerSecond = Objects.requireNonNull(bytesPerSecond, "bytesPerSecond");
            return this;
        }

        /**
         * Sets which files are checked. The failures of others count as {@linkplain Accounts#skipped skipped}.
         *
         * @param files asked with the absolute name of a file, which must touch no disk; by default all are. Files without a name are checked.
         * @return this
         */
        public Builder only(Predicate<String> files) {
            this.only = Objects.requireNonNull(files, "files");
            return this;
        }

        /**
         * Sets who watches re-reads while they run.
         *
         * @param observer nobody by default
         * @return this
         */
        public Builder checks(CheckObserver observer) {
            this.observer = Objects.requireNonNull(observer, "observer");
            return this;
        }

        /**
         * Sets how many failures of one directory may wait.
         *
         * @param failures at least 1; {@link #QUEUE_CAPACITY} by default
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder queueCapacity(int failures) {
            this.queueCapacity = (int) atLeastOne("queueCapacity", failures);
            return this;
        }

        /**
         * Sets how many failures may wait to be sorted by directory.
         *
         * @param failures at least 1; {@link #INBOX_CAPACITY} by default
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder inboxCapacity(int failures) {
            this.inboxCapacity = (int) atLeastOne("inboxCapacity", failures);
            return this;
        }

        /**
         * Sets how long a failure may wait before it is given up.
         *
         * @param longest more than 0; a minute by default
         * @return this
         * @throws IllegalArgumentException if it is not
         */
        public Builder longestWait(Duration longest) {
            this.longestWait = moreThanNothing("longestWait", longest);
            return this;
        }

        /**
         * Sets how often the queue is looked at. Callers never wake a thread, so this is what a check may be late by.
         *
         * @param tick more than 0; 4 ms by default
         * @return this
         * @throws IllegalArgumentException if it is not
         */
        public Builder tick(Duration tick) {
            this.tick = moreThanNothing("tick", tick);
            return this;
        }

        /**
         * Starts the classifier: one daemon thread.
         *
         * @return the running classifier
         */
        public FailureClassifier build() {
            return new FailureClassifier(this);
        }

        private static long atLeastOne(String what, long value) {
            if (value < 1) {
                throw new IllegalArgumentException(what + " is " + value + ", but must be at least 1");
            }
            return value;
        }

        private static Duration moreThanNothing(String what, Duration value) {
            if (value.isNegative() || value.isZero()) {
                throw new IllegalArgumentException(what + " is " + value + ", but must be more than 0");
            }
            return value;
        }
    }
}
