package io.faultline.agent.status;

import io.faultline.classifier.Mount;
import java.time.Duration;
import java.util.Locale;

/**
 * A log directory as of some moment.
 *
 * @param path the directory in its owner's spelling
 * @param owner the owner's name, or null where nobody claims it
 * @param mount what it lies on, {@link Mount#UNKNOWN} where that is not known
 * @param state how it is
 * @param takenOfflineByFaultline whether the agent took it offline; means nothing while it is online
 * @param pending failures that wait for a verdict
 * @param oldest how long the oldest of them has waited, zero if there is none
 * @param diskVerdicts how often its disk was found to have failed
 * @param suspectedTransient media errors that had gone when the region was read again
 * @param why the failure that its state is due to, or null
 */
public record Directory(
        String path,
        String owner,
        Mount mount,
        State state,
        boolean takenOfflineByFaultline,
        long pending,
        Duration oldest,
        long diskVerdicts,
        long suspectedTransient,
        SeenFailure why) {

    /** How a directory is, the worst first. */
    public enum State {
        /** Its owner says that it is offline. */
        OFFLINE,
        /** Its disk failed within the last hour, and nothing was done. */
        FAILING,
        /** A media error came and went within the last hour, or a check hangs. */
        SUSPECT,
        /** Nothing is known against it. */
        ONLINE;

        /** As a person and a program read it. */
        String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
