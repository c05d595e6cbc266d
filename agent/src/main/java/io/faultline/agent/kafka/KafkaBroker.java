package io.faultline.agent.kafka;

import io.faultline.classifier.Classification;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A running Apache Kafka broker, found by the thread that handles its failed log directories: what is put into that thread's channel is handled as Kafka handles an I/O
 * error of its own.
 *
 * <p>A directory that the broker does not know would kill that thread, so it is checked against the broker's own list first.
 */
final class KafkaBroker implements LogDirOwner {

    private final Thread handler;
    private final String name;
    private final FailureChannel channel;
    private final List<String> directories;
    private final Collection<?> live;

    /**
     * Reads a broker.
     *
     * @param handler a thread of class {@code kafka.server.ReplicaManager$LogDirFailureHandler}
     * @throws ReflectiveOperationException if this Kafka is put together otherwise
     */
    KafkaBroker(Thread handler) throws ReflectiveOperationException {
        this.handler = handler;
        Object replicaManager = Reflected.field(handler, "$outer");
        this.channel = new FailureChannel(Reflected.field(replicaManager, "logDirFailureChannel"));
        Object logManager = Reflected.field(replicaManager, "logManager");
        this.directories = new ArrayList<>();
        for (Object directory : Reflected.elements(Reflected.field(logManager, "logDirs"))) {
            directories.add(((File) directory).getAbsolutePath());
        }
        this.live = (Collection<?>) Reflected.field(logManager, "iveLogDirs"); // _liveLogDirs, liveLogDirs
        this.name = "kafka-broker-" + idOf(replicaManager);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Collection<String> directories() {
        return directories;
    }

    @Override
    public boolean isOffline(String directory) {
        return channel.isOffline(directory) || !live.contains(new File(directory));
    }

    @Override
    public synchronized OwnerAction takeOffline(String directory, Classification why) {
        if (!directories.contains(directory)) {
            return OwnerAction.UNKNOWN;
        }
        if (isOffline(directory)) {
            return OwnerAction.ALREADY;
        }
        if (!handler.isAlive()) {
            return OwnerAction.ERROR;
        }
        return channel.report(directory, why);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KafkaBroker that && that.handler == handler;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(handler);
    }

    private static Object idOf(Object replicaManager) {
        try {
            return Reflected.field(replicaManager, "localBrokerId");
        } catch (ReflectiveOperationException elsewhere) {
            return Integer.toHexString(System.identityHashCode(replicaManager));
        }
    }
}
