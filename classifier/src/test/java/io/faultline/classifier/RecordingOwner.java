package io.faultline.classifier;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An owner of log directories that keeps what it was told. */
class RecordingOwner implements LogDirOwner {

    final List<Classification> told = new CopyOnWriteArrayList<>();
    final Set<String> offline = ConcurrentHashMap.newKeySet();
    private final List<String> directories;

    RecordingOwner(String... directories) {
        this.directories = List.of(directories);
    }

    @Override
    public String name() {
        return "test-owner";
    }

    @Override
    public Collection<String> directories() {
        return directories;
    }

    @Override
    public boolean isOffline(String directory) {
        return offline.contains(directory);
    }

    @Override
    public OwnerAction takeOffline(String directory, Classification why) {
        told.add(why);
        return offline.add(directory) ? OwnerAction.FED : OwnerAction.ALREADY;
    }
}
