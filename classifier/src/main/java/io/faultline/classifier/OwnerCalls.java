package io.faultline.classifier;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Calls one owner, on a thread of the owner's own and for no longer than {@link FailureFeed#PATIENCE}: an owner that throws or blocks in any
 * of its methods holds up neither the checks of its directories nor those of others. While it blocks it is not asked again, and what it
 * said last holds.
 */
final class OwnerCalls {

    private static final int QUEUE = 16;

    /** How long the directories that an owner named are good for, so that a burst of failures does not ask for each. */
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final LogDirOwner owner;
    private final Lane lane = new Lane("owner", QUEUE);
    private volatile String name;
    private volatile ClaimedDirectories claimed;
    private volatile long askedAt;

    OwnerCalls(LogDirOwner owner) {
        this.owner = owner;
    }

    /** Its name, or "owner" while it does not tell it. */
    String name() {
        String known = name;
        if (known == null) {
            known = ask(owner::name, null);
            name = known;
        }
        return known == null ? "owner" : known;
    }

    /** The directories that it claims, or claimed when last it could say, in its spelling. */
    List<String> directories() {
        return claimed().spelled();
    }

    /** The same, so that the directory of a file is quickly found. */
    ClaimedDirectories claimed() {
        ClaimedDirectories last = claimed;
        if (last != null && System.nanoTime() - askedAt <= FRESH_NANOS) {
            return last;
        }
        List<String> now = ask(() -> List.copyOf(owner.directories()), last == null ? List.of() : last.spelled());
        // Sorted anew only when they have changed, which they seldom do.
        ClaimedDirectories current = last != null && last.spelled().equals(now) ? last : ClaimedDirectories.of(now);
        claimed = current;
        askedAt = System.nanoTime();
        return current;
    }

    /** Says whether a directory is offline. An owner that cannot say is no reason not to look. */
    boolean isOffline(String directory) {
        return ask(() -> owner.isOffline(directory), false);
    }

    /**
     * Has a directory taken offline, if the policy permits. Where the owner does not answer in time the call stands: it may still be made
     * when the owner answers again, unless somebody gave up meanwhile.
     *
     * @return what was done; {@link OwnerAction#ERROR} where the owner or the policy failed or did not answer
     */
    OwnerAction takeOffline(String directory, Classification why, ActionPolicy policy, BooleanSupplier givenUp) {
        return answer(
                () -> {
                    if (givenUp.getAsBoolean()) {
                        return OwnerAction.NONE;
                    }
                    OwnerAction permitted = policy.permit(owner, directory);
                    return permitted == OwnerAction.FED ? owner.takeOffline(directory, why) : permitted;
                },
                OwnerAction.ERROR);
    }

    private <T> T ask(Supplier<T> question, T otherwise) {
        return lane.isOverdue() ? otherwise : answer(question, otherwise);
    }

    private <T> T answer(Supplier<T> call, T otherwise) {
        AtomicReference<T> answer = new AtomicReference<>();
        boolean answered = lane.callAndWait(() -> answer.set(call.get()), FailureFeed.PATIENCE);
        T given = answered ? answer.get() : null;
        return given == null ? otherwise : given;
    }

    boolean isBusy() {
        return lane.isBusy();
    }

    /** Makes no further call. One under way may finish. */
    void close() {
        lane.close();
    }
}
