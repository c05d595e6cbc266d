package io.faultline.client.stub;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** What a broker that is well does and answers. */
final class UsualAnswers {

    /** The newest version of each API that is answered. */
    private static final Map<ApiKeys, Short> VERSIONS = Map.ofEntries(
            Map.entry(ApiKeys.API_VERSIONS, (short) 3),
            Map.entry(ApiKeys.METADATA, (short) 12),
            Map.entry(ApiKeys.INIT_PRODUCER_ID, (short) 4),
            Map.entry(ApiKeys.PRODUCE, (short) 11),
            Map.entry(ApiKeys.FETCH, (short) 12),
            Map.entry(ApiKeys.DESCRIBE_PRODUCERS, (short) 0),
            Map.entry(ApiKeys.LIST_OFFSETS, (short) 7),
            Map.entry(ApiKeys.OFFSET_FOR_LEADER_EPOCH, (short) 4),
            Map.entry(ApiKeys.FIND_COORDINATOR, (short) 4),
            Map.entry(ApiKeys.JOIN_GROUP, (short) 9),
            Map.entry(ApiKeys.SYNC_GROUP, (short) 5),
            Map.entry(ApiKeys.HEARTBEAT, (short) 4),
            Map.entry(ApiKeys.LEAVE_GROUP, (short) 5),
            Map.entry(ApiKeys.OFFSET_COMMIT, (short) 8),
            Map.entry(ApiKeys.OFFSET_FETCH, (short) 8));

    private static final long EARLIEST = -2;

    private final StubCluster cluster;
    private final AtomicLong producerIds = new AtomicLong(1_000);

    UsualAnswers(StubCluster cluster) {
        this.cluster = cluster;
    }

    /** Does what is asked and returns the answer; null if none is due. */
    ApiMessage to(StubRequest request) {
        return switch (request.api()) {
            case API_VERSIONS -> apiVersions();
            case METADATA -> metadata(request.body(MetadataRequestData.class));
            case INIT_PRODUCER_ID -> initProducerId(request.body(InitProducerIdRequestData.class));
            case PRODUCE -> produce(request.node(), request.body(ProduceRequestData.class));
            case FETCH -> fetch(request.node(), request.body(FetchRequestData.class));
            case DESCRIBE_PRODUCERS -> producers(request.body(DescribeProducersRequestData.class));
            case LIST_OFFSETS -> listOffsets(request.node(), request.body(ListOffsetsRequestData.class));
            case OFFSET_FOR_LEADER_EPOCH -> leaderEpochs(request.body(OffsetForLeaderEpochRequestData.class));
            case FIND_COORDINATOR -> coordinator(request.version(), request.body(FindCoordinatorRequestData.class));
            case JOIN_GROUP -> cluster.group().join(request.body(JoinGroupRequestData.class));
            case SYNC_GROUP -> sync(request.body(SyncGroupRequestData.class));
            case HEARTBEAT -> heartbeat(request.node(), request.body(HeartbeatRequestData.class));
            case LEAVE_GROUP -> leave(request.body(LeaveGroupRequestData.class));
            case OFFSET_COMMIT -> commit(request.node(), request.body(OffsetCommitRequestData.class));
            case OFFSET_FETCH -> committed(request.version(), request.body(OffsetFetchRequestData.class));
            default -> throw new IllegalStateException("a stub broker has no answer to " + request);
        };
    }

    private static ApiMessage apiVersions() {
        ApiVersionsResponseData response = new ApiVersionsResponseData();
        VERSIONS.forEach((api, newest) -> response.apiKeys()
                .add(new ApiVersionsResponseData.ApiVersion()
                        .setApiKey(api.id)
                        .setMinVersion(api.oldestVersion())
                        .setMaxVersion(newest)));
        return response;
    }

    private ApiMessage metadata(MetadataRequestData request) {
        MetadataResponseData response = new MetadataResponseData()
                .setClusterId(cluster.clusterId())
                .setControllerId(cluster.nodes().keySet().iterator().next());
        cluster.nodes()
                .forEach((id, node) -> response.brokers()
                        .add(new MetadataResponseData.MetadataResponseBroker()
                                .setNodeId(id)
                                .setHost("127.0.0.1")
                                .setPort(node.port())));
        Map<String, StubCluster.Topic> topics = cluster.topics();
        if (request.topics() == null) {
            topics.forEach((name, topic) -> response.topics().add(describe(name, topic)));
        } else {
            request.topics().forEach(asked -> response.topics().add(describe(asked.name(), topics.get(asked.name()))));
        }
        return response;
    }

    private MetadataResponseData.MetadataResponseTopic describe(String name, StubCluster.Topic topic) {
        MetadataResponseData.MetadataResponseTopic described =
                new MetadataResponseData.MetadataResponseTopic().setName(name);
        if (topic == null) {
            return described.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }
        described.setTopicId(topic.id());
        for (int number = 0; number < topic.partitions().size(); number++) {
            StubPartition partition = topic.partitions().get(number);
            int leader = partition.leader();
            described
                    .partitions()
                    .add(new MetadataResponseData.MetadataResponsePartition()
                            .setPartitionIndex(number)
                            .setErrorCode(leader < 0 ? Errors.LEADER_NOT_AVAILABLE.code() : Errors.NONE.code())
                            .setLeaderId(leader)
                            .setLeaderEpoch(partition.leaderEpoch())
                            .setReplicaNodes(List.copyOf(cluster.nodes().keySet()))
                            .setIsrNodes(List.copyOf(cluster.nodes().keySet())));
        }
        return described;
    }

    private ApiMessage initProducerId(InitProducerIdRequestData request) {
        InitProducerIdResponseData response = new InitProducerIdResponseData();
        if (request.producerId() >= 0) {
            return response.setProducerId(request.producerId()).setProducerEpoch((short) (request.producerEpoch() + 1));
        }
        return response.setProducerId(producerIds.getAndIncrement()).setProducerEpoch((short) 0);
    }

    private ApiMessage produce(int node, ProduceRequestData request) {
        ProduceResponseData response = new ProduceResponseData();
        for (ProduceRequestData.TopicProduceData topic : request.topicData()) {
            ProduceResponseData.TopicProduceResponse ofTopic = new ProduceResponseData.TopicProduceResponse()
                    .setName(topic.name())
                    .setTopicId(topic.topicId());
            for (ProduceRequestData.PartitionProduceData data : topic.partitionData()) {
                StubPartition partition = cluster.find(topic.name(), topic.topicId(), data.index());
                StubPartition.Appended appended;
                if (partition == null) {
                    appended = new StubPartition.Appended(Errors.UNKNOWN_TOPIC_OR_PARTITION, -1);
                } else if (partition.leader() != node) {
                    appended = new StubPartition.Appended(Errors.NOT_LEADER_OR_FOLLOWER, -1);
                } else {
                    appended = partition.append((MemoryRecords) data.records());
                }
                ofTopic.partitionResponses()
                        .add(new ProduceResponseData.PartitionProduceResponse()
                                .setIndex(data.index())
                                .setErrorCode(appended.error().code())
                                .setBaseOffset(appended.baseOffset()));
            }
            response.responses().add(ofTopic);
        }
        return request.acks() == 0 ? null : response;
    }

    private ApiMessage fetch(int node, FetchRequestData request) {
        FetchResponseData response = new FetchResponseData();
        boolean found = false;
        for (FetchRequestData.FetchTopic topic : request.topics()) {
            FetchResponseData.FetchableTopicResponse ofTopic = new FetchResponseData.FetchableTopicResponse()
                    .setTopic(topic.topic())
                    .setTopicId(topic.topicId());
            for (FetchRequestData.FetchPartition asked : topic.partitions()) {
                FetchResponseData.PartitionData data = fetch(node, topic, asked);
                found |= data.errorCode() != 0 || ((MemoryRecords) data.records()).sizeInBytes() > 0;
                ofTopic.partitions().add(data);
            }
            response.responses().add(ofTopic);
        }
        if (!found) {
            pause(request.maxWaitMs());
        }
        return response;
    }

    private FetchResponseData.PartitionData fetch(
            int node, FetchRequestData.FetchTopic topic, FetchRequestData.FetchPartition asked) {
        FetchResponseData.PartitionData data = new FetchResponseData.PartitionData()
                .setPartitionIndex(asked.partition())
                .setRecords(MemoryRecords.EMPTY);
        StubPartition partition = cluster.find(topic.topic(), topic.topicId(), asked.partition());
        if (partition == null) {
            return data.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }
        if (partition.leader() != node) {
            return data.setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code());
        }
        if (asked.fetchOffset() > partition.end() || asked.fetchOffset() < partition.start()) {
            return data.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code()).setLogStartOffset(partition.start());
        }
        return data.setHighWatermark(partition.end())
                .setLastStableOffset(partition.end())
                .setLogStartOffset(partition.start())
                .setRecords(partition.read(asked.fetchOffset()));
    }

    private ApiMessage producers(DescribeProducersRequestData request) {
        DescribeProducersResponseData response = new DescribeProducersResponseData();
        for (DescribeProducersRequestData.TopicRequest topic : request.topics()) {
            DescribeProducersResponseData.TopicResponse ofTopic =
                    new DescribeProducersResponseData.TopicResponse().setName(topic.name());
            for (int number : topic.partitionIndexes()) {
                StubPartition partition = cluster.find(topic.name(), Uuid.ZERO_UUID, number);
                DescribeProducersResponseData.PartitionResponse answer =
                        new DescribeProducersResponseData.PartitionResponse().setPartitionIndex(number);
                ofTopic.partitions()
                        .add(
                                partition == null
                                        ? answer.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code())
                                        : answer.setActiveProducers(partition.describeProducers()));
            }
            response.topics().add(ofTopic);
        }
        return response;
    }

    /** A long poll with nothing to give. */
    private static void pause(int millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private ApiMessage listOffsets(int node, ListOffsetsRequestData request) {
        ListOffsetsResponseData response = new ListOffsetsResponseData();
        for (ListOffsetsRequestData.ListOffsetsTopic topic : request.topics()) {
            ListOffsetsResponseData.ListOffsetsTopicResponse ofTopic =
                    new ListOffsetsResponseData.ListOffsetsTopicResponse().setName(topic.name());
            for (ListOffsetsRequestData.ListOffsetsPartition asked : topic.partitions()) {
                StubPartition partition = cluster.find(topic.name(), Uuid.ZERO_UUID, asked.partitionIndex());
                boolean leads = partition != null && partition.leader() == node;
                ofTopic.partitions()
                        .add(new ListOffsetsResponseData.ListOffsetsPartitionResponse()
                                .setPartitionIndex(asked.partitionIndex())
                                .setErrorCode(leads ? Errors.NONE.code() : Errors.NOT_LEADER_OR_FOLLOWER.code())
                                .setLeaderEpoch(leads ? partition.leaderEpoch() : -1)
                                .setOffset(leads && asked.timestamp() != EARLIEST ? partition.end() : 0));
            }
            response.topics().add(ofTopic);
        }
        return response;
    }

    private ApiMessage leaderEpochs(OffsetForLeaderEpochRequestData request) {
        OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
        for (OffsetForLeaderEpochRequestData.OffsetForLeaderTopic topic : request.topics()) {
            OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult ofTopic =
                    new OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult().setTopic(topic.topic());
            for (OffsetForLeaderEpochRequestData.OffsetForLeaderPartition asked : topic.partitions()) {
                StubPartition partition = cluster.partition(topic.topic(), asked.partition());
                ofTopic.partitions()
                        .add(new OffsetForLeaderEpochResponseData.EpochEndOffset()
                                .setPartition(asked.partition())
                                .setLeaderEpoch(partition.leaderEpoch())
                                .setEndOffset(partition.end()));
            }
            response.topics().add(ofTopic);
        }
        return response;
    }

    private ApiMessage coordinator(short version, FindCoordinatorRequestData request) {
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        StubNode node = cluster.nodes().get(cluster.coordinator());
        short error = node == null ? Errors.COORDINATOR_NOT_AVAILABLE.code() : Errors.NONE.code();
        int id = node == null ? -1 : node.id();
        int port = node == null ? -1 : node.port();
        if (version < 4) {
            return response.setErrorCode(error)
                    .setNodeId(id)
                    .setHost("127.0.0.1")
                    .setPort(port);
        }
        request.coordinatorKeys()
                .forEach(key -> response.coordinators()
                        .add(new FindCoordinatorResponseData.Coordinator()
                                .setKey(key)
                                .setErrorCode(error)
                                .setNodeId(id)
                                .setHost("127.0.0.1")
                                .setPort(port)));
        return response;
    }

    private ApiMessage sync(SyncGroupRequestData request) {
        return new SyncGroupResponseData()
                .setProtocolType(request.protocolType())
                .setProtocolName(request.protocolName())
                .setAssignment(cluster.group().sync(request));
    }

    private ApiMessage heartbeat(int node, HeartbeatRequestData request) {
        Errors error = Errors.NONE;
        if (node != cluster.coordinator()) {
            error = Errors.NOT_COORDINATOR;
        } else if (!cluster.group().knows(request.generationId(), request.memberId())) {
            error = Errors.UNKNOWN_MEMBER_ID;
        }
        return new HeartbeatResponseData().setErrorCode(error.code());
    }

    private static ApiMessage leave(LeaveGroupRequestData request) {
        LeaveGroupResponseData response = new LeaveGroupResponseData();
        request.members()
                .forEach(member -> response.members()
                        .add(new LeaveGroupResponseData.MemberResponse()
                                .setMemberId(member.memberId())
                                .setGroupInstanceId(member.groupInstanceId())));
        return response;
    }

    private ApiMessage commit(int node, OffsetCommitRequestData request) {
        Errors error = node == cluster.coordinator() ? Errors.NONE : Errors.NOT_COORDINATOR;
        OffsetCommitResponseData response = new OffsetCommitResponseData();
        for (OffsetCommitRequestData.OffsetCommitRequestTopic topic : request.topics()) {
            OffsetCommitResponseData.OffsetCommitResponseTopic ofTopic =
                    new OffsetCommitResponseData.OffsetCommitResponseTopic().setName(topic.name());
            for (OffsetCommitRequestData.OffsetCommitRequestPartition partition : topic.partitions()) {
                if (error == Errors.NONE) {
                    cluster.group()
                            .commit(
                                    new TopicPartition(topic.name(), partition.partitionIndex()),
                                    partition.committedOffset());
                }
                ofTopic.partitions()
                        .add(new OffsetCommitResponseData.OffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            response.topics().add(ofTopic);
        }
        return response;
    }

    private ApiMessage committed(short version, OffsetFetchRequestData request) {
        OffsetFetchResponseData response = new OffsetFetchResponseData();
        if (version < 8) {
            request.topics().forEach(topic -> {
                OffsetFetchResponseData.OffsetFetchResponseTopic ofTopic =
                        new OffsetFetchResponseData.OffsetFetchResponseTopic().setName(topic.name());
                topic.partitionIndexes()
                        .forEach(number -> ofTopic.partitions()
                                .add(new OffsetFetchResponseData.OffsetFetchResponsePartition()
                                        .setPartitionIndex(number)
                                        .setCommittedOffset(cluster.committed(topic.name(), number))));
                response.topics().add(ofTopic);
            });
            return response;
        }
        request.groups().forEach(asked -> {
            OffsetFetchResponseData.OffsetFetchResponseGroup ofGroup =
                    new OffsetFetchResponseData.OffsetFetchResponseGroup().setGroupId(asked.groupId());
            asked.topics().forEach(topic -> {
                OffsetFetchResponseData.OffsetFetchResponseTopics ofTopic =
                        new OffsetFetchResponseData.OffsetFetchResponseTopics().setName(topic.name());
                topic.partitionIndexes()
                        .forEach(number -> ofTopic.partitions()
                                .add(new OffsetFetchResponseData.OffsetFetchResponsePartitions()
                                        .setPartitionIndex(number)
                                        .setCommittedOffset(cluster.committed(topic.name(), number))));
                ofGroup.topics().add(ofTopic);
            });
            response.groups().add(ofGroup);
        });
        return response;
    }
}
