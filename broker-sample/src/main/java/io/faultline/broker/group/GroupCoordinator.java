package io.faultline.broker.group;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Coordinates all groups. Safe for use by any thread. */
public final class GroupCoordinator {

    private final GroupConfig config;
    private final CommittedOffsets offsets;
    private final ScheduledExecutorService timer;
    private final Map<String, Group> groups = new ConcurrentHashMap<>();

    /**
     * Makes a coordinator without groups.
     *
     * @param config how groups are coordinated
     * @param offsets the committed offsets
     * @param timer runs time-outs
     */
    public GroupCoordinator(GroupConfig config, CommittedOffsets offsets, ScheduledExecutorService timer) {
        this.config = config;
        this.offsets = offsets;
        this.timer = timer;
    }

    /** Makes known the groups that committed before the start. */
    public void load() {
        offsets.groups().forEach(this::group);
    }

    private Group group(String id) {
        return groups.computeIfAbsent(id, name -> new Group(name, config, timer));
    }

    private Optional<Group> find(String id) {
        return Optional.ofNullable(groups.get(id)).filter(group -> !group.isDead());
    }

    /**
     * Lets a member join a group, which is made where it is missing.
     *
     * @param request the request
     * @param version its version, which says what the client understands
     * @param client the client
     * @param answer takes the answer, now or later, once
     */
    public void join(
            JoinGroupRequestData request, short version, GroupClient client, Consumer<JoinGroupResponseData> answer) {
        Errors error = checkJoin(request);
        if (error != Errors.NONE) {
            answer.accept(Refusals.join(request.memberId(), error));
            return;
        }
        Group group = group(request.groupId());
        while (!group.join(request, version, client, answer)) {
            groups.remove(request.groupId(), group);
            group = group(request.groupId());
        }
    }

    private Errors checkJoin(JoinGroupRequestData request) {
        if (request.groupId().isEmpty()) {
            return Errors.INVALID_GROUP_ID;
        }
        if (request.sessionTimeoutMs() < config.minSessionTimeoutMs()
                || request.sessionTimeoutMs() > config.maxSessionTimeoutMs()) {
            return Errors.INVALID_SESSION_TIMEOUT;
        }
        if (request.protocolType().isEmpty() || request.protocols().isEmpty()) {
            return Errors.INCONSISTENT_GROUP_PROTOCOL;
        }
        // No member is left of a group that is not known, and an id is not given twice.
        boolean known = request.memberId().isEmpty() || find(request.groupId()).isPresent();
        return known ? Errors.NONE : Errors.UNKNOWN_MEMBER_ID;
    }

    /**
     * Answers a member with its assignment.
     *
     * @param request the request
     * @param answer takes the answer, now or later, once
     */
    public void sync(SyncGroupRequestData request, Consumer<SyncGroupResponseData> answer) {
        try {
            known(request.groupId()).sync(request, answer);
        } catch (ApiException refused) {
            answer.accept(Refusals.sync(Errors.forException(refused)));
        }
    }

    private Group known(String id) {
        if (id.isEmpty()) {
            throw Errors.INVALID_GROUP_ID.exception();
        }
        return find(id).orElseThrow(Errors.UNKNOWN_MEMBER_ID::exception);
    }

    /**
     * Takes a member's sign of life.
     *
     * @param groupId the group
     * @param memberId the member's id
     * @param instanceId the instance id of a static member, or null
     * @param generation the generation that the member believes in
     * @throws ApiException if the member must join again, or is none
     */
    public void heartbeat(String groupId, String memberId, String instanceId, int generation) {
        known(groupId).heartbeat(memberId, instanceId, generation);
    }

    /**
     * Lets a member go.
     *
     * @param groupId the group
     * @param memberId the member's id; empty for a static member that is named by its instance id only
     * @param instanceId the instance id of a static member, or null
     * @throws ApiException if it is no member
     */
    public void leave(String groupId, String memberId, String instanceId) {
        known(groupId).leave(memberId, instanceId);
    }

    /**
     * Checks what is to be kept with an offset.
     *
     * @param metadata the text, or null
     * @throws ApiException if it is too long
     */
    public void checkMetadata(String metadata) {
        if (metadata != null && metadata.length() > config.maxOffsetMetadataBytes()) {
            throw Errors.OFFSET_METADATA_TOO_LARGE.exception();
        }
    }

    /**
     * Keeps offsets, if the client may commit them. The next generation of the group does not begin before they are kept. A group is
     * made for a client that is no member of any.
     *
     * @param groupId the group
     * @param memberId the member's id, or empty
     * @param instanceId the instance id of a static member, or null
     * @param generation the generation that the member believes in, negative for none
     * @param committed the offsets
     * @throws ApiException if the client may not commit, or the offsets cannot be kept
     */
    public void commit(
            String groupId,
            String memberId,
            String instanceId,
            int generation,
            Map<TopicPartition, CommittedOffset> committed) {
        Group group = committing(groupId, generation);
        while (!group.beginCommit(memberId, instanceId, generation)) {
            groups.remove(groupId, group);
            group = committing(groupId, generation);
        }
        try {
            offsets.commit(groupId, committed);
        } catch (KafkaStorageException offline) {
            throw Errors.COORDINATOR_NOT_AVAILABLE.exception(offline.getMessage());
        } finally {
            group.endChange();
        }
    }

    private Group committing(String groupId, int generation) {
        return generation < 0 ? group(groupId) : find(groupId).orElseThrow(Errors.ILLEGAL_GENERATION::exception);
    }

    /**
     * The offsets of a group.
     *
     * @param groupId the group
     * @return an immutable map, empty if there are none
     */
    public Map<TopicPartition, CommittedOffset> committed(String groupId) {
        return offsets.of(groupId);
    }

    /**
     * Forgets offsets that no member of the group uses.
     *
     * @param groupId the group
     * @param partitions the partitions
     * @return those among them that are in use, and keep their offsets
     * @throws ApiException if there is no such group, or it is not known what it uses
     */
    public Set<TopicPartition> deleteOffsets(String groupId, Set<TopicPartition> partitions) {
        Group group = beginDeletion(groupId);
        try {
            Set<TopicPartition> used = new HashSet<>();
            Set<TopicPartition> unused = new HashSet<>();
            partitions.forEach(partition -> (group.reads(partition.topic()) ? used : unused).add(partition));
            offsets.remove(groupId, unused);
            return used;
        } finally {
            group.endChange();
        }
    }

    private Group beginDeletion(String groupId) {
        return find(groupId).filter(Group::beginDeletion).orElseThrow(Errors.GROUP_ID_NOT_FOUND::exception);
    }

    /**
     * Deletes a group and its offsets.
     *
     * @param groupId the group
     * @throws ApiException if there is none, or it has members
     */
    public void delete(String groupId) {
        Group group = beginDeletion(groupId);
        try {
            if (!group.isEmpty()) {
                throw Errors.NON_EMPTY_GROUP.exception();
            }
            offsets.remove(groupId, offsets.of(groupId).keySet());
        } finally {
            group.endChange();
        }
        // Whoever has joined or committed since has a new group, under the same name.
        removeIfUnused(groupId, group);
    }

    /** Forgets groups that have neither members nor offsets. Does no I/O. */
    public void removeEmptyGroups() {
        groups.forEach(this::removeIfUnused);
    }

    private void removeIfUnused(String groupId, Group group) {
        if (group.endIfUnused(() -> !offsets.of(groupId).isEmpty())) {
            groups.remove(groupId, group);
        }
    }

    /**
     * Forgets the offsets of a topic that is gone, so that one of the same name is read from its start.
     *
     * @param topic the name
     */
    public void topicDeleted(String topic) {
        for (String group : offsets.groups()) {
            Set<TopicPartition> gone = new HashSet<>(offsets.of(group).keySet());
            gone.removeIf(partition -> !partition.topic().equals(topic));
            offsets.remove(group, gone);
        }
    }

    /**
     * Describes a group.
     *
     * @param groupId the group
     * @return its description, empty if there is none
     */
    public Optional<DescribedGroup> describe(String groupId) {
        return find(groupId).map(Group::describe);
    }

    /**
     * Counts the groups.
     *
     * @return how many there are in each state a living group can be in, by Kafka's name; 0 too
     */
    public Map<String, Integer> countByState() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (GroupState state : GroupState.values()) {
            if (state != GroupState.DEAD) {
                counts.put(state.toString(), 0);
            }
        }
        list().forEach(group -> counts.computeIfPresent(group.groupState(), (state, count) -> count + 1));
        return counts;
    }

    /**
     * Names all groups.
     *
     * @return a copy, in no order
     */
    public List<ListedGroup> list() {
        return groups.values().stream()
                .filter(group -> !group.isDead())
                .map(Group::list)
                .toList();
    }
}
