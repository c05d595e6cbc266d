package io.faultline.bench.outage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Looks at a cluster while things happen to it: who coordinates, and what a group has committed. */
final class Observer implements AutoCloseable {

    private static final int REQUEST_MILLIS = 1_000;
    private static final int API_MILLIS = 2_000;
    private static final long BETWEEN_SAMPLES_MILLIS = 300;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * A committed offset as the coordinator told it.
     *
     * @param at when it was known, by the machine's monotonic clock in milliseconds
     * @param partition of which partition
     * @param offset of the next record
     */
    record Sample(long at, int partition, long offset) {}

    private final Admin admin;
    private final ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
    private final List<Sample> samples = new ArrayList<>();

    Observer(String bootstrap) {
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                REQUEST_MILLIS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                API_MILLIS));
    }

    /** Creates a topic and waits until each partition has a leader. */
    void create(String topic, int partitions, int replicas, Map<String, String> configuration)
            throws ExecutionException, InterruptedException {
        admin.createTopics(
                        List.of(new NewTopic(topic, partitions, (short) replicas).configs(configuration)),
                        new CreateTopicsOptions().timeoutMs((int) PATIENCE.toMillis()))
                .all()
                .get();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!hasLeaders(topic, partitions)) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("no leader for each of the " + partitions + " partitions of " + topic);
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_SAMPLES_MILLIS);
        }
    }

    private boolean hasLeaders(String topic, int partitions) throws InterruptedException {
        try {
            return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().stream()
                            .filter(info ->
                                    info.leader() != null && !info.leader().isEmpty())
                            .count()
                    == partitions;
        } catch (ExecutionException notYet) {
            return false;
        }
    }

    /** The broker that leads a partition. */
    int leader(TopicPartition partition) throws ExecutionException, InterruptedException {
        return admin.describeTopics(
                        List.of(partition.topic()), new DescribeTopicsOptions().timeoutMs((int) PATIENCE.toMillis()))
                .allTopicNames()
                .get()
                .get(partition.topic())
                .partitions()
                .get(partition.partition())
                .leader()
                .id();
    }

    /** The broker that coordinates a group. */
    int coordinator(String group) throws ExecutionException, InterruptedException {
        return admin.describeConsumerGroups(
                        List.of(group), new DescribeConsumerGroupsOptions().timeoutMs((int) PATIENCE.toMillis()))
                .all()
                .get()
                .get(group)
                .coordinator()
                .id();
    }

    /** From now on looks again and again at what a group has committed; while nobody answers there is nothing to see. */
    void sample(String group) {
        sampler.scheduleWithFixedDelay(() -> sampleOnce(group), 0, BETWEEN_SAMPLES_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void sampleOnce(String group) {
        try {
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get();
            long at = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
            synchronized (samples) {
                committed.forEach((partition, offset) -> {
                    if (offset != null) {
                        samples.add(new Sample(at, partition.partition(), offset.offset()));
                    }
                });
            }
        } catch (ExecutionException nobodyAnswers) { // later, then
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Says whether a group has members of processes that live no longer. Until their session is over their partitions are nobody's, and
     * whoever coordinates anew gives them a session anew.
     *
     * @param living tells the client ids of those that live
     */
    boolean hasGhosts(String group, Predicate<String> living) throws ExecutionException, InterruptedException {
        return admin
                .describeConsumerGroups(
                        List.of(group), new DescribeConsumerGroupsOptions().timeoutMs((int) PATIENCE.toMillis()))
                .all()
                .get()
                .get(group)
                .members()
                .stream()
                .anyMatch(member -> !living.test(member.clientId()));
    }

    /** How many partitions a topic has. */
    int partitions(String topic) throws ExecutionException, InterruptedException {
        return admin.describeTopics(List.of(topic), new DescribeTopicsOptions().timeoutMs((int) PATIENCE.toMillis()))
                .allTopicNames()
                .get()
                .get(topic)
                .partitions()
                .size();
    }

    List<Sample> samples() {
        synchronized (samples) {
            return List.copyOf(samples);
        }
    }

    @Override
    public void close() {
        sampler.shutdownNow();
        admin.close(Duration.ofSeconds(2));
    }
}
