package io.faultline.agent.core;

import io.faultline.classifier.LogDirOwner;
import java.util.Collection;

/**
 * Finds the owners of log directories in a server that knows nothing of Faultline. One small class for each server; a server that knows Faultline registers its owners itself,
 * see {@link io.faultline.classifier.FailureFeed#register}.
 */
public interface ServerAdapter {

    /**
     * The owners that are there now. Called once a second on a thread of the agent's own, and before the agent says that it is attached.
     *
     * @return the owners; one that was there the last time must equal itself then
     */
    Collection<LogDirOwner> owners();
}
