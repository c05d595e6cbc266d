package io.faultline.agent.core;

import io.faultline.classifier.ActionPolicy;
import io.faultline.classifier.Classification;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Decides whether a directory may be taken offline: by the mode, by what the options say of the directory, and by how many went offline of late. A fault of the agent's own, or of
 * storage that several directories share, must not take a whole server down, nor a fleet of them.
 */
final class ActionLimits implements ActionPolicy {

    /** How long a directory counts as gone though its owner does not say so yet. */
    private static final long UNTIL_OFFLINE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Supplier<Mode> mode;
    private final Supplier<Options> options;
    private final Predicate<String> holdsMetadata;

    /** What was permitted within the window. Changed under the lock of this object only. */
    private final Map<Taken, Permit> taken = new ConcurrentHashMap<>();

    /** Why directories were left alone: bounded by how many there are. */
    private final Map<Taken, String> reasons = new ConcurrentHashMap<>();

    private record Taken(String owner, String directory) {}

    private record Permit(long nanos, boolean used) {}

    ActionLimits(Supplier<Mode> mode, Supplier<Options> options, Predicate<String> holdsMetadata) {
        this.mode = mode;
        this.options = options;
        this.holdsMetadata = holdsMetadata;
    }

    @Override
    public OwnerAction permit(LogDirOwner owner, String directory) {
        Options now = options.get();
        Taken asked = new Taken(owner.name(), directory);
        String observes = observes(now, owner, directory); // may ask the owner, so not under a lock
        if (observes != null) {
            reasons.put(asked, observes);
            return OwnerAction.OBSERVED;
        }
        if (!takeOne(asked, now)) {
            String window = now.setting(Key.ACT_WINDOW).value();
            reasons.put(asked, "act.max.directories=" + now.actMaxDirectories() + " within act.window=" + window);
            return OwnerAction.LIMITED;
        }
        reasons.remove(asked);
        return OwnerAction.FED;
    }

    private synchronized boolean takeOne(Taken asked, Options now) {
        long window = now.actWindow().toNanos();
        long nanos = System.nanoTime();
        taken.values().removeIf(permit -> nanos - permit.nanos > window);
        if (taken.containsKey(asked)) {
            return true;
        }
        if (taken.size() >= now.actMaxDirectories()) {
            return false;
        }
        taken.put(asked, new Permit(nanos, false));
        return true;
    }

    /** The option by which a directory is only observed, or null. */
    private String observes(Options now, LogDirOwner owner, String directory) {
        if (mode.get() != Mode.ACT) {
            return "mode=" + mode.get().spelled();
        }
        String byDirectory = now.observes(directory);
        if (byDirectory != null) {
            return byDirectory;
        }
        if (!now.actsOnMetadataDirectory() && (owner instanceof HoldsMetadata || holdsMetadata.test(directory))) {
            return "act.metadata-dir=observe";
        }
        return now.actsOnLastDirectory() || leavesAnother(owner, directory) ? null : "act.last-dir=observe";
    }

    /** Directories that fail at once are judged one after the other, and each counts as gone before its owner says so. */
    private boolean leavesAnother(LogDirOwner owner, String directory) {
        long now = System.nanoTime();
        return owner.directories().stream().anyMatch(other -> {
            Permit permit = taken.get(new Taken(owner.name(), other));
            boolean going = permit != null && now - permit.nanos < UNTIL_OFFLINE_NANOS;
            return !other.equals(directory) && !going && !owner.isOffline(other);
        });
    }

    /** Takes in what became of a permit: one that was not used, since the owner had taken the directory offline itself or does not know it, does not count. */
    synchronized void told(Classification verdict) {
        Taken told = new Taken(verdict.owner(), verdict.directory());
        switch (verdict.action()) {
            case FED -> taken.computeIfPresent(told, (key, permit) -> new Permit(permit.nanos, true));
            case ALREADY, UNKNOWN -> taken.computeIfPresent(told, (key, permit) -> permit.used ? permit : null);
            default -> {} // an owner that did not answer in time may still act
        }
    }

    /** Why a directory was left alone when it was last judged; "" if it was not. */
    String reasonOf(Classification verdict) {
        return verdict.owner() == null ? "" : reasons.getOrDefault(new Taken(verdict.owner(), verdict.directory()), "");
    }
}
