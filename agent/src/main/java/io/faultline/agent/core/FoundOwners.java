package io.faultline.agent.core;

import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.Subscription;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Keeps a feed's owners in step with what the adapters find. */
final class FoundOwners {

    private final List<ServerAdapter> adapters;
    private final FailureFeed feed;
    private final AgentLog log;
    private final Map<LogDirOwner, Subscription> registered = new HashMap<>();

    FoundOwners(List<ServerAdapter> adapters, FailureFeed feed, AgentLog log) {
        this.adapters = adapters;
        this.feed = feed;
        this.log = log;
    }

    /** Looks for owners that came, and for those that went. */
    synchronized void look() {
        Set<LogDirOwner> found = new HashSet<>();
        adapters.forEach(adapter -> found.addAll(adapter.owners()));
        for (LogDirOwner owner : found) {
            if (!registered.containsKey(owner)) {
                registered.put(owner, feed.register(owner));
                log.line("found " + owner.name() + ", which owns " + directories(owner));
            }
        }
        registered.entrySet().removeIf(entry -> {
            boolean gone = !found.contains(entry.getKey());
            if (gone) {
                entry.getValue().close();
            }
            return gone;
        });
    }

    /** Says whether a directory is or holds one of which an owner says that the node cannot do without it. */
    synchronized boolean holdsMetadata(String directory) {
        Path path = Path.of(directory).toAbsolutePath();
        return registered.keySet().stream()
                .filter(HoldsMetadata.class::isInstance)
                .flatMap(owner -> owner.directories().stream())
                .anyMatch(held -> Path.of(held).toAbsolutePath().startsWith(path));
    }

    private static Collection<String> directories(LogDirOwner owner) {
        return owner.directories();
    }
}
