package io.faultline.agent.kafka;

import io.faultline.agent.core.HoldsMetadata;
import io.faultline.classifier.Classification;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import java.io.File;
import java.util.Collection;
import java.util.List;

/**
 * The metadata log of a KRaft node, found by its raft thread. It has a failure channel of its own, which no thread consumes: once its directory is in there, the next
 * use of the log fails with a storage error, and the node ends as it does on an I/O error of its own there.
 */
final class KafkaMetadataLog implements LogDirOwner, HoldsMetadata {

    private final Thread raft;
    private final FailureChannel channel;
    private final String directory;
    private final String parent;

    /**
     * Reads a metadata log.
     *
     * @param raft the raft thread
     * @throws ReflectiveOperationException if this Kafka is put together otherwise
     */
    KafkaMetadataLog(Thread raft) throws ReflectiveOperationException {
        this.raft = raft;
        Object client = Reflected.field(raft, "client");
        Object raftLog = Reflected.field(client, "log");
        Object log = Reflected.field(raftLog, "log");
        this.channel = new FailureChannel(Reflected.call(log, "logDirFailureChannel"));
        this.directory = ((File) Reflected.call(log, "dir")).getAbsolutePath();
        this.parent = (String) Reflected.call(log, "parentDir");
    }

    @Override
    public String name() {
        return "kafka-metadata-log";
    }

    /** The log's own folder, which holds its snapshots too: what lies beside it belongs to the broker, if there is one. */
    @Override
    public Collection<String> directories() {
        return List.of(directory);
    }

    @Override
    public boolean isOffline(String asked) {
        return channel.isOffline(parent);
    }

    @Override
    public synchronized OwnerAction takeOffline(String asked, Classification why) {
        if (!directory.equals(asked)) {
            return OwnerAction.UNKNOWN;
        }
        if (isOffline(asked)) {
            return OwnerAction.ALREADY;
        }
        return channel.report(parent, why);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KafkaMetadataLog that && that.raft == raft;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(raft);
    }
}
