package io.faultline.bench.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ElectionNotNeededException;

/** A cluster as its administrator sees it. */
final class ClusterAdmin implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long LOOK_AGAIN_MILLIS = 50;

    private final Admin admin;

    /**
     * Connects.
     *
     * @param client where and how
     * @param patience how long a broker may take to answer, before another one is asked
     */
    ClusterAdmin(Properties client, Duration patience) {
        Properties properties = new Properties();
        properties.putAll(client);
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Long.toString(patience.toMillis()));
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(3 * patience.toMillis()));
        admin = Admin.create(properties);
    }

    /** How many brokers can be reached through others, 0 if none can be reached yet. */
    int countBrokers() throws InterruptedException {
        try {
            return admin.describeCluster().nodes().get().size();
        } catch (ExecutionException notYet) {
            return 0;
        }
    }

    /** Creates a topic of one partition, led by the first of its replicas, and waits until it has a leader. */
    TopicPartition create(String topic, List<Integer> replicas, Map<String, String> configuration)
            throws IOException, InterruptedException {
        try {
            admin.createTopics(List.of(new NewTopic(topic, Map.of(0, replicas)).configs(configuration)))
                    .all()
                    .get();
        } catch (ExecutionException refused) {
            throw new IOException("cannot create " + topic, refused);
        }
        TopicPartition partition = new TopicPartition(topic, 0);
        await(topic + " has a leader", () -> leader(partition) >= 0);
        return partition;
    }

    /** Changes the configuration of a topic. */
    void configure(String topic, Map<String, String> configuration) throws IOException, InterruptedException {
        List<AlterConfigOp> changes = configuration.entrySet().stream()
                .map(entry ->
                        new AlterConfigOp(new ConfigEntry(entry.getKey(), entry.getValue()), AlterConfigOp.OpType.SET))
                .toList();
        try {
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), changes))
                    .all()
                    .get();
        } catch (ExecutionException refused) {
            throw new IOException("cannot configure " + topic, refused);
        }
    }

    /** Moves a replica to a log directory, in the broker's spelling, and waits until it is there. */
    void place(TopicPartition partition, int broker, String directory) throws IOException, InterruptedException {
        TopicPartitionReplica replica = new TopicPartitionReplica(partition.topic(), partition.partition(), broker);
        try {
            await(partition + " is in " + directory, () -> {
                var info = admin.describeReplicaLogDirs(List.of(replica))
                        .all()
                        .get()
                        .get(replica);
                if (info.getCurrentReplicaLogDir() != null
                        && !directory.equals(info.getCurrentReplicaLogDir())
                        && info.getFutureReplicaLogDir() == null) {
                    admin.alterReplicaLogDirs(Map.of(replica, directory)).all().get();
                }
                return directory.equals(info.getCurrentReplicaLogDir()) && info.getFutureReplicaLogDir() == null;
            });
        } catch (IOException notPlaced) {
            throw new IOException(
                    notPlaced.getMessage() + "; broker " + broker + " has " + describe(broker), notPlaced);
        }
    }

    /** The leader of a partition, -1 for none. */
    int leader(TopicPartition partition) throws ExecutionException, InterruptedException {
        return leaders(List.of(partition)).get(partition);
    }

    /** The leaders of partitions, -1 for none. */
    Map<TopicPartition, Integer> leaders(Collection<TopicPartition> partitions)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, Integer> leaders = new HashMap<>();
        infos(partitions).forEach((partition, info) -> {
            Node leader = info.leader();
            leaders.put(partition, leader == null || leader.isEmpty() ? -1 : leader.id());
        });
        return leaders;
    }

    /** The least number of replicas in sync of any of these partitions. */
    int leastInSync(Collection<TopicPartition> partitions) throws ExecutionException, InterruptedException {
        return infos(partitions).values().stream()
                .mapToInt(info -> info.isr().size())
                .min()
                .orElseThrow();
    }

    private Map<TopicPartition, TopicPartitionInfo> infos(Collection<TopicPartition> partitions)
            throws ExecutionException, InterruptedException {
        List<String> topics = partitions.stream().map(TopicPartition::topic).toList();
        Map<String, TopicDescription> described =
                admin.describeTopics(topics).allTopicNames().get();
        Map<TopicPartition, TopicPartitionInfo> infos = new HashMap<>();
        for (TopicPartition partition : partitions) {
            infos.put(partition, described.get(partition.topic()).partitions().get(partition.partition()));
        }
        return infos;
    }

    /** The first offset of a partition. */
    long earliest(TopicPartition partition) throws ExecutionException, InterruptedException {
        return admin.listOffsets(Map.of(partition, OffsetSpec.earliest()))
                .partitionResult(partition)
                .get()
                .offset();
    }

    /** Gives the leadership back to the first of the replicas. */
    void electPreferred(Set<TopicPartition> partitions) throws ExecutionException, InterruptedException {
        for (Optional<Throwable> refusal : admin.electLeaders(ElectionType.PREFERRED, partitions)
                .partitions()
                .get()
                .values()) {
            if (refusal.isPresent() && !(refusal.get() instanceof ElectionNotNeededException)) {
                throw new ExecutionException(refusal.get());
            }
        }
    }

    /** The log directories of a broker that are offline, in the broker's spelling. */
    Set<String> offline(int broker) throws IOException, InterruptedException {
        return describe(broker).entrySet().stream()
                .filter(entry -> entry.getValue().error() != null)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** The log directories of a broker, in the broker's spelling. */
    Map<String, LogDirDescription> describe(int broker) throws IOException, InterruptedException {
        try {
            return new HashMap<>(admin.describeLogDirs(List.of(broker))
                    .allDescriptions()
                    .get()
                    .get(broker));
        } catch (ExecutionException refused) {
            throw new IOException("broker " + broker + " does not describe its log directories", refused);
        }
    }

    /** Waits for a condition; one that cannot be looked at yet does not hold yet. */
    static void await(String what, Callable<Boolean> condition) throws IOException, InterruptedException {
        await(what, PATIENCE, condition);
    }

    /** Waits for a condition for longer, or less long, than usual. */
    static void await(String what, Duration patience, Callable<Boolean> condition)
            throws IOException, InterruptedException {
        Exception[] last = {null};
        if (!holdsAtLast(patience, condition, last)) {
            throw new IOException("it is not so that " + what, last[0]);
        }
    }

    /** Waits for a condition, and says whether it came to hold. */
    static boolean holdsAtLast(Callable<Boolean> condition) throws InterruptedException {
        return holdsAtLast(PATIENCE, condition);
    }

    /** Waits for a condition for longer, or less long, than usual. */
    static boolean holdsAtLast(Duration patience, Callable<Boolean> condition) throws InterruptedException {
        return holdsAtLast(patience, condition, new Exception[1]);
    }

    private static boolean holdsAtLast(Duration patience, Callable<Boolean> condition, Exception[] last)
            throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() < deadline) {
            try {
                if (condition.call()) {
                    return true;
                }
                last[0] = null;
            } catch (InterruptedException interrupted) {
                throw interrupted;
            } catch (Exception notYet) {
                last[0] = notYet;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
        }
        return false;
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(5));
    }
}
