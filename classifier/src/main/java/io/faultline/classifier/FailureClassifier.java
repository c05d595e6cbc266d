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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

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

    /** Where directories beyond this number are lumped together, so that a mapping gone wild takes no memory. */
    private static final int MOST_DIRECTORIES = 4_096;

    private static final long EXPIRY_PERIOD_NANOS = 250_000_000L;

    private final FailureFeed feed;
    private final LogDirMapping mapping;
    private final FailureHints hints;
    private final ActionPolicy policy;
    private final CheckSettings settings;
    private final HostFile files = new HostFile(HostDescriptors.find());
    private final int inboxCapacity;
    private final long tickNanos;

    private final Queue<FailedTransfer> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inboxSize = new AtomicInteger();
    private final LongAdder handedOver = new LongAdder();
    private final LongAdder droppedAtInbox = new LongAdder();
    private final LongAdder expiredAtInbox = new LongAdder();
    private final LongAdder ownErrors = new LongAdder();
    private final Map<LogDirectory, DirectoryChecks> directories = new ConcurrentHashMap<>();
    private final List<Consumer<DirectoryChecks>> onDirectory = new CopyOnWriteArrayList<>();
    private final Map<LogDirOwner, Lane> ownerLanes = new ConcurrentHashMap<>();
    private final Thread drainThread;
    private volatile boolean closed;

    private FailureClassifier(Builder builder) {
        feed = builder.feed;
        hints = builder.hints != null ? builder.hints : FailureHints.learn();
        policy = builder.policy;
        inboxCapacity = builder.inboxCapacity;
        tickNanos = builder.tick.toNanos();
        MountTable mounts = new MountTable();
        settings = new CheckSettings(
                builder.scheduler, builder.queueCapacity, builder.bytesPerSecond, builder.longestWait, mounts);
        mapping =
                builder.mapping != null ? builder.mapping : new OwnersRootsMounts(feed::owners, builder.roots, mounts);
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
     * Takes a failed transfer. Returns at once and never throws; where the queue is full the failure is counted as dropped.
     *
     * @param transfer the failure, not null
     */
    public void submit(FailedTransfer transfer) {
        handedOver.increment();
        if (closed) {
            expiredAtInbox.increment();
        } else if (inboxSize.incrementAndGet() > inboxCapacity) {
            inboxSize.decrementAndGet();
            droppedAtInbox.increment();
        } else {
            inbox.add(transfer);
            if (closed) { // meanwhile: the drain thread may have looked for the last time
                giveUpInbox();
            }
        }
    }

    /** Calls back for each directory that has checks, now and whenever a further one appears. */
    void onDirectory(Consumer<DirectoryChecks> callback) {
        onDirectory.add(callback);
        directories.values().forEach(callback);
    }

    /**
     * What became of everything that was submitted.
     *
     * @return the accounts; they balance exactly when nothing is pending
     */
    public Accounts accounts() {
        long pending = inboxSize.get();
        long verdicts = 0;
        long dropped = droppedAtInbox.sum();
        long expired = expiredAtInbox.sum();
        long skipped = 0;
        for (DirectoryStatus directory : directories()) {
            pending += directory.pending();
            verdicts += directory.verdicts().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            dropped += directory.dropped();
            expired += directory.expired();
            skipped += directory.skipped();
        }
        return new Accounts(handedOver.sum(), verdicts, dropped, expired, skipped, pending);
    }

    /**
     * How the checks stand, directory by directory.
     *
     * @return a copy, in no order; a directory appears with its first failure
     */
    public List<DirectoryStatus> directories() {
        List<DirectoryStatus> all = new ArrayList<>();
        directories.values().forEach(checks -> all.add(checks.status()));
        return all;
    }

    /**
     * Faults of the classifier's own that cost a failed transfer its directory, but no more. Anything but 0 is a bug.
     *
     * @return the count
     */
    public long ownErrors() {
        return ownErrors.sum();
    }

    /** The texts that hints are taken from. */
    FailureHints hints() {
        return hints;
    }

    /**
     * Ends: what waits is given up and counted as expired. A re-read that runs is never interrupted, since that would close
     * the channel that it reads; its thread ends with it, and its verdict is given up. Returns at once.
     */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(drainThread);
    }

    /**
     * Says whether a thread of this classifier may still run.
     *
     * @return true until the drain thread and all check threads have ended
     */
    public boolean isBusy() {
        return drainThread.isAlive() || directories.values().stream().anyMatch(DirectoryChecks::busy);
    }

    private void drain() {
        long expiredAt = System.nanoTime();
        while (!closed) {
            try {
                drainInbox();
                long now = System.nanoTime();
                for (DirectoryChecks checks : directories.values()) {
                    checks.schedule(now);
                }
                if (now - expiredAt > EXPIRY_PERIOD_NANOS) {
                    expiredAt = now;
                    directories.values().forEach(checks -> checks.expire(now));
                }
            } catch (Throwable ownFault) { // the next tick must come, whatever happened in this one
                ownErrors.increment();
            }
            if (inbox.isEmpty()) {
                LockSupport.parkNanos(this, tickNanos);
            }
        }
        directories.values().forEach(DirectoryChecks::close);
        giveUpInbox();
    }

    private void giveUpInbox() {
        while (inbox.poll() != null) {
            inboxSize.decrementAndGet();
            expiredAtInbox.increment();
        }
    }

    private void drainInbox() {
        // No more than one inbox full at a time: under a storm the threads must be scheduled too.
        for (int taken = 0; taken < inboxCapacity; taken++) {
            FailedTransfer transfer = inbox.poll();
            if (transfer == null) {
                return;
            }
            DirectoryChecks checks = null;
            Pending failure = null;
            try {
                failure = pending(transfer);
                checks = checksOf(failure);
            } catch (Throwable ownFault) { // then it is checked without a directory
                ownErrors.increment();
            }
            if (checks == null) {
                failure = new Pending(transfer, Hint.NONE, transfer.openedAs());
                checks = checksIn(LogDirectory.UNKNOWN);
            }
            checks.offer(failure);
            inboxSize.decrementAndGet();
        }
    }

    private Pending pending(FailedTransfer transfer) {
        String file = transfer.openedAs() != null
                ? OwnersRootsMounts.absolute(transfer.openedAs())
                : files.nameToday(transfer.channel());
        return new Pending(transfer, hints.of(transfer.failure()), file);
    }

    private DirectoryChecks checksOf(Pending failure) {
        LogDirectory directory = failure.file() == null ? LogDirectory.UNKNOWN : mapping.directoryOf(failure.file());
        boolean room = directories.size() < MOST_DIRECTORIES || directories.containsKey(directory);
        return checksIn(room ? directory : LogDirectory.UNKNOWN);
    }

    private DirectoryChecks checksIn(LogDirectory directory) {
        DirectoryChecks known = directories.get(directory);
        if (known != null) {
            return known;
        }
        DirectoryChecks made = new DirectoryChecks(directory, settings, files, this::tell);
        directories.put(directory, made); // by the drain thread only
        onDirectory.forEach(callback -> {
            try {
                callback.accept(made);
            } catch (Throwable binders) { // meters that cannot be had harm no check
                ownErrors.increment();
            }
        });
        return made;
    }

    private OwnerAction tell(LogDirectory directory, Classification classification) {
        OwnerAction action = OwnerAction.NONE;
        LogDirOwner owner = directory.owner();
        if (classification.verdict() == Verdict.DISK && owner != null) {
            action = act(owner, directory.path(), classification);
        }
        feed.publish(classification.with(action));
        return action;
    }

    private OwnerAction act(LogDirOwner owner, String directory, Classification classification) {
        try {
            OwnerAction permitted = policy.permit(owner, directory);
            if (permitted != OwnerAction.FED) {
                return permitted;
            }
            OwnerAction[] answer = {OwnerAction.ERROR};
            Lane lane = ownerLanes.computeIfAbsent(owner, key -> new Lane("owner-" + key.name(), 16));
            boolean answered = lane.callAndWait(
                    () -> answer[0] = owner.takeOffline(directory, classification), FailureFeed.PATIENCE);
            return answered && answer[0] != null ? answer[0] : OwnerAction.ERROR;
        } catch (Throwable ownersOwn) { // an owner's or a policy's fault is not the check's
            return OwnerAction.ERROR;
        }
    }

    /** Builds a {@link FailureClassifier}. Not safe for use from several threads. */
    public static final class Builder {

        private final FailureFeed feed;
        private FailureHints hints;
        private LogDirMapping mapping;
        private List<String> roots = List.of();
        private ActionPolicy policy = ActionPolicy.ACT;
        private Executor scheduler = work -> FaultlineThreads.start("check", work);
        private int inboxCapacity = 4_096;
        private int queueCapacity = 1_024;
        private long bytesPerSecond = 64L << 20;
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
            this.bytesPerSecond = atLeastOne("bytesPerSecond", bytesPerSecond);
            return this;
        }

        /**
         * Sets how many failures of one directory may wait.
         *
         * @param failures at least 1; 1,024 by default
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
         * @param failures at least 1; 4,096 by default
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
         * @param longest a minute by default
         * @return this
         */
        public Builder longestWait(Duration longest) {
            this.longestWait = Objects.requireNonNull(longest, "longest");
            return this;
        }

        /**
         * Sets how often the queue is looked at. Callers never wake a thread, so this is what a check may be late by.
         *
         * @param tick 4 ms by default
         * @return this
         */
        public Builder tick(Duration tick) {
            this.tick = Objects.requireNonNull(tick, "tick");
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
    }
}
