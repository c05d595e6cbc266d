package io.faultline.client.protocol;

import io.faultline.client.metadata.ClusterView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;

/**
 * What members of a consumer group tell each other through the coordinator, which does not look into it: what they subscribe to
 * and own, and what they are assigned. The assignors are Kafka's own. Not safe for use by several threads.
 */
public final class GroupProtocol {

    private final List<ConsumerPartitionAssignor> assignors;
    private final RebalanceProtocol rebalance;
    private final String rack;

    /**
     * Takes the assignors.
     *
     * @param assignors in the order of preference, at least one
     * @param rack where the client is; empty if it does not say
     */
    public GroupProtocol(List<ConsumerPartitionAssignor> assignors, String rack) {
        this.assignors = List.copyOf(assignors);
        this.rack = rack;
        Set<RebalanceProtocol> common = new HashSet<>(List.of(RebalanceProtocol.values()));
        assignors.forEach(assignor -> common.retainAll(assignor.supportedProtocols()));
        this.rebalance = common.contains(RebalanceProtocol.COOPERATIVE)
                ? RebalanceProtocol.COOPERATIVE
                : RebalanceProtocol.EAGER;
    }

    /**
     * Whether partitions are kept through a rebalance, as they are if all assignors can do so.
     *
     * @return false if all are given up before each
     */
    public boolean isCooperative() {
        return rebalance == RebalanceProtocol.COOPERATIVE;
    }

    /**
     * What this member says of itself when it joins.
     *
     * @param topics what it subscribes to
     * @param owned what it still has
     * @param generation in which it got that; -1 if in none
     * @return the content of a JoinGroup request
     */
    public JoinGroupRequestProtocolCollection subscription(
            Collection<String> topics, Collection<TopicPartition> owned, int generation) {
        SortedSet<String> sorted = new TreeSet<>(topics);
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        for (ConsumerPartitionAssignor assignor : assignors) {
            Subscription subscription = new Subscription(
                    new ArrayList<>(sorted),
                    assignor.subscriptionUserData(sorted),
                    new ArrayList<>(owned),
                    generation,
                    rack.isEmpty() ? Optional.empty() : Optional.of(rack));
            protocols.add(new JoinGroupRequestProtocol()
                    .setName(assignor.name())
                    .setMetadata(bytes(ConsumerProtocol.serializeSubscription(subscription))));
        }
        return protocols;
    }

    /**
     * The topics that any member subscribes to, for the leader.
     *
     * @param members as the coordinator has them
     * @return their names
     */
    public static Set<String> topics(List<JoinGroupResponseMember> members) {
        Set<String> topics = new TreeSet<>();
        for (JoinGroupResponseMember member : members) {
            topics.addAll(subscriptionOf(member).topics());
        }
        return topics;
    }

    private static Subscription subscriptionOf(JoinGroupResponseMember member) {
        Subscription subscription = ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(member.metadata()));
        subscription.setGroupInstanceId(Optional.ofNullable(member.groupInstanceId()));
        return subscription;
    }

    /**
     * Shares the partitions out, as the leader of the group.
     *
     * @param assignorName the assignor that the coordinator chose
     * @param members as the coordinator has them
     * @param view the topics, those of others among them
     * @return the content of a SyncGroup request, by member
     */
    public Map<String, byte[]> assign(String assignorName, List<JoinGroupResponseMember> members, ClusterView view) {
        Map<String, Subscription> subscriptions = new HashMap<>();
        members.forEach(member -> subscriptions.put(member.memberId(), subscriptionOf(member)));
        Map<String, byte[]> assignments = new HashMap<>();
        assignor(assignorName)
                .assign(cluster(view), new GroupSubscription(subscriptions))
                .groupAssignment()
                .forEach((member, assignment) ->
                        assignments.put(member, bytes(ConsumerProtocol.serializeAssignment(assignment))));
        return assignments;
    }

    /**
     * Takes what this member was assigned.
     *
     * @param assignorName the assignor that the coordinator chose
     * @param assignment from a SyncGroup response
     * @param group the group
     * @param generation the new generation
     * @param memberId the member
     * @param instanceId its {@code group.instance.id}; null if it has none
     * @return the partitions
     * @throws KafkaException if it cannot be read
     */
    @SuppressWarnings(
            "removal") // of the constructor, without a public one in its place yet; the assignors ask for that class
    public Set<TopicPartition> assigned(
            String assignorName, byte[] assignment, String group, int generation, String memberId, String instanceId) {
        if (assignment.length == 0) {
            return Set.of();
        }
        try {
            Assignment read = ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(assignment));
            assignor(assignorName)
                    .onAssignment(
                            read,
                            new ConsumerGroupMetadata(group, generation, memberId, Optional.ofNullable(instanceId)));
            return new HashSet<>(read.partitions());
        } catch (RuntimeException malformed) {
            throw new KafkaException("an assignment of " + assignment.length + " bytes cannot be read", malformed);
        }
    }

    private ConsumerPartitionAssignor assignor(String name) {
        return assignors.stream()
                .filter(assignor -> assignor.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> new KafkaException("the coordinator chose an assignor that was not offered: " + name));
    }

    private static Cluster cluster(ClusterView view) {
        Map<Integer, Node> nodes = new HashMap<>();
        view.brokers().forEach((id, at) -> nodes.put(id, new Node(id, at.host(), at.port())));
        List<PartitionInfo> partitions = new ArrayList<>();
        view.topics()
                .values()
                .forEach(topic -> topic.partitions()
                        .values()
                        .forEach(partition -> partitions.add(new PartitionInfo(
                                topic.name(),
                                partition.index(),
                                nodes.get(partition.leader()),
                                new Node[0],
                                new Node[0]))));
        return new Cluster(view.clusterId(), nodes.values(), partitions, Set.of(), Set.of());
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }
}
