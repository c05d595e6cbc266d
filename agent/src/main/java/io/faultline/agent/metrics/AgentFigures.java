package io.faultline.agent.metrics;

import io.faultline.classifier.Hint;
import java.util.Collection;

/** What the agent counts and how it is set, for meters to read. Every method may be called from any thread and returns at once. */
public interface AgentFigures {

    /**
     * The release.
     *
     * @return the version
     */
    String version();

    /**
     * The modes that there are.
     *
     * @return as they are spelled
     */
    Collection<String> modes();

    /**
     * Says whether a mode is in force.
     *
     * @param mode one of {@link #modes}
     * @return true for one of them
     */
    boolean isInForce(String mode);

    /**
     * The classes that are to be woven.
     *
     * @return their names
     */
    Collection<String> targets();

    /**
     * Says whether a class is woven.
     *
     * @param target one of {@link #targets}
     * @return true if it is
     */
    boolean isWoven(String target);

    /**
     * The ways by which transfers leave.
     *
     * @return as tags spell them
     */
    Collection<String> transports();

    /**
     * Transfers that failed.
     *
     * @param transport one of {@link #transports}
     * @param hint what their text resembles
     * @return how many
     */
    long failures(String transport, Hint hint);

    /**
     * How often stale TLS bytes of a directory were held back.
     *
     * @param directory in its owner's spelling
     * @return how often
     */
    long stalePrevented(String directory);

    /**
     * How often stale TLS bytes were held back in any directory that is known.
     *
     * @return how often
     */
    long stalePreventedWhereKnown();

    /**
     * Says whether a directory is offline, and who took it offline.
     *
     * @param directory in its owner's spelling
     * @param by faultline or owner
     * @return true if so
     */
    boolean isOffline(String directory, String by);

    /**
     * Says whether a directory would be offline if the agent had been allowed to act.
     *
     * @param directory in its owner's spelling
     * @return true if so
     */
    boolean wouldBeOffline(String directory);

    /**
     * When the configuration was last read without an error.
     *
     * @return seconds since the epoch
     */
    double configured();

    /**
     * The parts of the agent that can fail.
     *
     * @return as tags spell them
     */
    Collection<String> parts();

    /**
     * Faults of the agent's own.
     *
     * @param part one of {@link #parts}
     * @return how many
     */
    long errors(String part);

    /**
     * Lines that the log left out.
     *
     * @return how many
     */
    long suppressedLines();
}
