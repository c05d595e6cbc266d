package io.faultline.client.spool;

import java.util.Objects;

/**
 * What an application connects a spool with.
 *
 * @param recovery hears of what an earlier producer left
 * @param verdicts tells a failing disk from a vanished peer
 */
public record SpoolHooks(RecoveryListener recovery, VerdictSource verdicts) {

    /**
     * Refuses nulls.
     *
     * @throws NullPointerException if one of them is null
     */
    public SpoolHooks {
        Objects.requireNonNull(recovery, "recovery");
        Objects.requireNonNull(verdicts, "verdicts");
    }

    /**
     * Hears nothing of recovery, and has verdicts from the agent in this JVM if there is one.
     *
     * @return the hooks
     */
    public static SpoolHooks none() {
        return new SpoolHooks(RecoveryListener.NONE, VerdictSource.agent());
    }
}
