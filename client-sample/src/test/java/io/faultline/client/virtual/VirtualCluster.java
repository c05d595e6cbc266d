package io.faultline.client.virtual;

import io.faultline.client.network.HostPort;
import io.faultline.client.virtual.VirtualLog.Appended;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Some brokers with common logs; each partition is led by one of them. */
final class VirtualCluster {

    private static final int FIRST_PORT = 9_000;

    private final Map<Integer, VirtualBroker> brokers = new TreeMap<>();
    private final Map<TopicPartition, Integer> leaders = new HashMap<>();
    private final Map<TopicPartition, Integer> epochs = new HashMap<>();
    private final Map<TopicPartition, VirtualLog> logs = new HashMap<>();
    private final Map<String, Uuid> topicIds = new TreeMap<>();
    private final Set<Integer> gone = new HashSet<>();
    private String clusterId = "virtual";
    private long nextProducerId = 1_000;

    VirtualCluster(VirtualNetwork network, int count) {
        for (int id = 1; id <= count; id++) {
            int self = id;
            brokers.put(
                    id,
                    new VirtualBroker(
                            id,
                            new HostPort("broker" + id, FIRST_PORT + id),
                            network,
                            (api, version, request) -> answer(self, api, version, request)));
        }
    }

    VirtualBroker broker(int id) {
        return brokers.get(id);
    }

    List<HostPort> bootstrap() {
        return brokers.values().stream().map(VirtualBroker::address).toList();
    }

    /** Makes a topic, or makes it anew under another id; partition i is led by broker i % n + 1. */
    void createTopic(String name, int partitions) {
        topicIds.put(name, Uuid.randomUuid());
        for (int index = 0; index < partitions; index++) {
            TopicPartition partition = new TopicPartition(name, index);
            logs.put(partition, new VirtualLog());
            leaders.put(partition, index % brokers.size() + 1);
            epochs.put(partition, 0);
        }
    }

    /** Adds one partition. */
    void addPartition(String name, int index, int leader) {
        TopicPartition partition = new TopicPartition(name, index);
        logs.put(partition, new VirtualLog());
        leaders.put(partition, leader);
        epochs.put(partition, 0);
    }

    /** Moves the leadership; -1 for nobody. */
    void lead(TopicPartition partition, int leader) {
        leaders.put(partition, leader);
        epochs.merge(partition, 1, Integer::sum);
    }

    /** Tells of a leader that was one before, under the epoch that it had. */
    void tellOfOldLeader(TopicPartition partition, int leader) {
        leaders.put(partition, leader);
        epochs.merge(partition, -1, Integer::sum);
    }

    /** Is not told of any more, as a broker that is shut down. */
    void leaves(int id) {
        gone.add(id);
    }

    /** Is told of again. */
    void returns(int id) {
        gone.remove(id);
    }

    /** Tells of another id from now on. */
    void clusterId(String id) {
        clusterId = id;
    }

    VirtualLog log(String topic, int partition) {
        return logs.get(new TopicPartition(topic, partition));
    }

    /** Kills a broker, and starts it with what a restarted one knows of producers. */
    void restart(int id) {
        brokers.get(id).kill();
        leaders.forEach((partition, leader) -> {
            if (leader == id) {
                logs.get(partition).forgetAllButLast();
            }
        });
        brokers.get(id).start();
    }

    /** What a broker answers of itself. */
    ApiMessage answer(int self, ApiKeys api, short version, ApiMessage request) {
        return switch (api) {
            case METADATA -> metadata((MetadataRequestData) request);
            case INIT_PRODUCER_ID ->
                new InitProducerIdResponseData().setProducerId(nextProducerId++).setProducerEpoch((short) 0);
            case PRODUCE -> produce(self, (ProduceRequestData) request);
            case DESCRIBE_PRODUCERS -> describe(self, (DescribeProducersRequestData) request);
            case FETCH -> fetch(self, (FetchRequestData) request);
            default -> throw new IllegalArgumentException(api.name);
        };
    }

    private MetadataResponseData metadata(MetadataRequestData request) {
        MetadataResponseData response =
                new MetadataResponseData().setClusterId(clusterId).setControllerId(1);
        brokers.values().stream()
                .filter(broker -> !gone.contains(broker.id()))
                .forEach(broker -> response.brokers()
                        .add(new MetadataResponseData.MetadataResponseBroker()
                                .setNodeId(broker.id())
                                .setHost(broker.address().host())
                                .setPort(broker.address().port())));
        for (MetadataRequestData.MetadataRequestTopic asked : request.topics()) {
            Uuid id = topicIds.get(asked.name());
            MetadataResponseData.MetadataResponseTopic topic = new MetadataResponseData.MetadataResponseTopic()
                    .setName(asked.name())
                    .setTopicId(id == null ? Uuid.ZERO_UUID : id)
                    .setErrorCode(id == null ? Errors.UNKNOWN_TOPIC_OR_PARTITION.code() : 0);
            leaders.forEach((partition, leader) -> {
                if (partition.topic().equals(asked.name())) {
                    topic.partitions()
                            .add(new MetadataResponseData.MetadataResponsePartition()
                                    .setPartitionIndex(partition.partition())
                                    .setLeaderId(leader)
                                    .setErrorCode(leader < 0 ? Errors.LEADER_NOT_AVAILABLE.code() : 0)
                                    .setLeaderEpoch(epochs.get(partition))
                                    .setReplicaNodes(List.of())
                                    .setIsrNodes(List.of()));
                }
            });
            response.topics().add(topic);
        }
        return response;
    }

    private String name(Uuid id) {
        return topicIds.entrySet().stream()
                .filter(entry -> entry.getValue().equals(id))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    private ProduceResponseData produce(int self, ProduceRequestData request) {
        ProduceResponseData response = new ProduceResponseData();
        for (ProduceRequestData.TopicProduceData topic : request.topicData()) {
            String name = name(topic.topicId());
            ProduceResponseData.TopicProduceResponse answers =
                    new ProduceResponseData.TopicProduceResponse().setTopicId(topic.topicId());
            for (ProduceRequestData.PartitionProduceData data : topic.partitionData()) {
                TopicPartition partition = name == null ? null : new TopicPartition(name, data.index());
                Appended appended;
                if (partition == null) {
                    appended = new Appended(Errors.UNKNOWN_TOPIC_ID, -1);
                } else if (leaders.get(partition) != self) {
                    appended = new Appended(Errors.NOT_LEADER_OR_FOLLOWER, -1);
                } else {
                    appended = logs.get(partition).append((MemoryRecords) data.records());
                }
                answers.partitionResponses()
                        .add(new ProduceResponseData.PartitionProduceResponse()
                                .setIndex(data.index())
                                .setErrorCode(appended.error().code())
                                .setBaseOffset(appended.baseOffset()));
            }
            response.responses().add(answers);
        }
        return response;
    }

    private DescribeProducersResponseData describe(int self, DescribeProducersRequestData request) {
        DescribeProducersRequestData.TopicRequest topic =
                request.topics().iterator().next();
        TopicPartition partition =
                new TopicPartition(topic.name(), topic.partitionIndexes().get(0));
        DescribeProducersResponseData.PartitionResponse answer =
                new DescribeProducersResponseData.PartitionResponse().setPartitionIndex(partition.partition());
        if (leaders.get(partition) != self) {
            answer.setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code());
        } else {
            List<DescribeProducersResponseData.ProducerState> states = new ArrayList<>();
            VirtualLog log = logs.get(partition);
            for (long id : log.producerIds()) {
                int[] last = log.lastOf(id);
                states.add(new DescribeProducersResponseData.ProducerState()
                        .setProducerId(id)
                        .setProducerEpoch(last[0])
                        .setLastSequence(last[1]));
            }
            answer.setActiveProducers(states);
        }
        return new DescribeProducersResponseData()
                .setTopics(List.of(new DescribeProducersResponseData.TopicResponse()
                        .setName(topic.name())
                        .setPartitions(List.of(answer))));
    }

    private FetchResponseData fetch(int self, FetchRequestData request) {
        FetchRequestData.FetchTopic topic = request.topics().iterator().next();
        FetchRequestData.FetchPartition asked = topic.partitions().get(0);
        TopicPartition partition = new TopicPartition(name(topic.topicId()), asked.partition());
        FetchResponseData.PartitionData answer =
                new FetchResponseData.PartitionData().setPartitionIndex(asked.partition());
        VirtualLog log = logs.get(partition);
        if (leaders.get(partition) != self) {
            answer.setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code());
        } else if (asked.fetchOffset() > log.highWatermark()) {
            answer.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
        } else {
            answer.setHighWatermark(log.highWatermark()).setLogStartOffset(0).setRecords(log.read(asked.fetchOffset()));
        }
        return new FetchResponseData()
                .setResponses(List.of(new FetchResponseData.FetchableTopicResponse()
                        .setTopicId(topic.topicId())
                        .setPartitions(List.of(answer))));
    }
}
