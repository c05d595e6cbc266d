package io.faultline.agent.kafka;

import io.faultline.agent.core.ServerAdapter;
import io.faultline.classifier.LogDirOwner;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds the Apache Kafka brokers and metadata logs of this JVM by their threads, without weaving anything: with the JVM or attached later, one broker or several.
 */
public final class KafkaAdapter implements ServerAdapter {

    private static final String FAILURE_HANDLER = "kafka.server.ReplicaManager$LogDirFailureHandler";

    /** The raft thread's classes: 3.7 and newer; older. */
    private static final Set<String> RAFT =
            Set.of("org.apache.kafka.raft.KafkaRaftClientDriver", "kafka.raft.KafkaRaftManager$RaftIoThread");

    private final Consumer<String> complain;
    private final Map<Thread, LogDirOwner> known = new HashMap<>();
    private final Set<Thread> strange = new HashSet<>();

    /**
     * Makes an adapter that has looked at nothing yet.
     *
     * @param complain told once of a Kafka that is put together in a way that is not known
     */
    public KafkaAdapter(Consumer<String> complain) {
        this.complain = complain;
    }

    @Override
    public synchronized Collection<LogDirOwner> owners() {
        Set<Thread> alive = new HashSet<>();
        for (Thread thread : threads()) {
            String type = thread.getClass().getName();
            if (type.equals(FAILURE_HANDLER) || RAFT.contains(type)) {
                alive.add(thread);
                if (!known.containsKey(thread) && !strange.contains(thread)) {
                    read(thread, type.equals(FAILURE_HANDLER));
                }
            }
        }
        known.keySet().retainAll(alive);
        strange.retainAll(alive);
        return List.copyOf(known.values());
    }

    private void read(Thread thread, boolean isBroker) {
        try {
            known.put(thread, isBroker ? new KafkaBroker(thread) : new KafkaMetadataLog(thread));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError otherKafka) {
            strange.add(thread);
            complain.accept("this Kafka is put together in a way that is not known, so no directory of "
                    + (isBroker ? "its broker" : "its metadata log") + " can be taken offline: " + otherKafka);
        }
    }

    private static List<Thread> threads() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] found = new Thread[root.activeCount() * 2 + 16];
        int count = root.enumerate(found, true);
        return Arrays.asList(found).subList(0, count);
    }
}
