package io.faultline.bench.detection;

import io.faultline.classifier.Classification;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The log directories of a server, which notes when each is taken offline. Safe for use from several threads. */
final class LogDirectories implements LogDirOwner {

    private final List<String> directories;
    private final Map<String, Long> offline = new ConcurrentHashMap<>();

    LogDirectories(List<String> directories) {
        this.directories = List.copyOf(directories);
    }

    @Override
    public String name() {
        return "server";
    }

    @Override
    public Collection<String> directories() {
        return directories;
    }

    @Override
    public boolean isOffline(String directory) {
        return offline.containsKey(directory);
    }

    @Override
    public synchronized OwnerAction takeOffline(String directory, Classification why) {
        long now = System.nanoTime();
        boolean first = offline.putIfAbsent(directory, now) == null;
        notifyAll();
        return first ? OwnerAction.FED : OwnerAction.ALREADY;
    }

    /** The directories that are offline. */
    Collection<String> offline() {
        return List.copyOf(offline.keySet());
    }

    /**
     * Waits until a directory is offline.
     *
     * @return when it was taken offline, of {@link System#nanoTime}
     */
    synchronized long awaitOffline(String directory) throws InterruptedException {
        while (!isOffline(directory)) {
            wait();
        }
        return offline.get(directory);
    }
}
