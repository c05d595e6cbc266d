package io.faultline.broker;

import io.faultline.broker.log.LogDirectories;
import io.faultline.broker.log.LogDirectory;
import io.faultline.classifier.Classification;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import java.util.Collection;

/** What a broker is to Faultline: verdicts go into the same failure channel as the broker's own I/O errors. */
final class BrokerLogDirOwner implements LogDirOwner {

    private final String name;
    private final LogDirectories directories;

    BrokerLogDirOwner(int nodeId, LogDirectories directories) {
        this.name = "broker-" + nodeId;
        this.directories = directories;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Collection<String> directories() {
        return directories.all().stream().map(LogDirectory::path).toList();
    }

    @Override
    public boolean isOffline(String directory) {
        return directories.find(directory).map(LogDirectory::isOffline).orElse(false);
    }

    @Override
    public OwnerAction takeOffline(String directory, Classification why) {
        return directories
                .find(directory)
                .map(known -> directories.failures().feed(known, "sending a fetch", why.asException())
                        ? OwnerAction.FED
                        : OwnerAction.ALREADY)
                .orElse(OwnerAction.UNKNOWN);
    }
}
