package io.faultline.agent.status;

import io.faultline.classifier.Accounts;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Everything that the status page shows, as of one moment.
 *
 * @param at the moment
 * @param host the name of the machine, "" where it is not known
 * @param pid the process
 * @param version of the agent
 * @param since when the agent was attached
 * @param mode as it is spelled
 * @param isOff whether the mode is the one that weaves nothing
 * @param isReady whether transfers are woven
 * @param woven each class that is to be woven, and whether it is
 * @param directories the log directories, the worst first
 * @param latest the latest failures, the newest first
 * @param lastHour the failures of the last hour
 * @param accounts what became of all failures since the agent was attached
 * @param errors the agent's own faults
 */
public record Snapshot(
        Instant at,
        String host,
        long pid,
        String version,
        Instant since,
        String mode,
        boolean isOff,
        boolean isReady,
        Map<String, Boolean> woven,
        List<Directory> directories,
        List<SeenFailure> latest,
        LastHour lastHour,
        Accounts accounts,
        long errors) {

    /** The directories in a state. */
    List<Directory> in(Directory.State state) {
        return directories.stream()
                .filter(directory -> directory.state() == state)
                .toList();
    }
}
