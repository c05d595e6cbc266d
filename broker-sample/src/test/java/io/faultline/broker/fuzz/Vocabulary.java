package io.faultline.broker.fuzz;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.broker.log.Topic;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.ApiMessage;

/** Values that mean something to the broker, by the name of the field: with others no request would get far. */
final class Vocabulary {

    static final List<String> TOPICS = List.of("fuzz-a", "fuzz-b");

    private static final String[] TOPIC_NAMES = {"fuzz-a", "fuzz-b", "fuzz-new", "no such topic", ""};
    private static final String[] GROUPS = {"group-a", "group-b", ""};
    private static final String[] SETTINGS = {
        "retention.ms",
        "retention.bytes",
        "segment.bytes",
        "segment.ms",
        "max.message.bytes",
        "cleanup.policy",
        "nothing"
    };
    private static final String[] VALUES = {"1000", "2048", "-1", "delete", "compact", "9223372036854775807", ""};
    private static final String[] PROTOCOLS = {"range", "cooperative-sticky"};

    private final EmbeddedBroker broker;
    private String memberId = "";
    private int generation;
    private int sessionId;
    private int sessionEpoch;
    private long producerId = -1;

    Vocabulary(EmbeddedBroker broker) {
        this.broker = broker;
    }

    /** Keeps what later requests refer to. */
    void learn(ApiMessage response) {
        if (response instanceof JoinGroupResponseData joined) {
            memberId = joined.memberId();
            generation = joined.generationId();
        } else if (response instanceof FetchResponseData fetched) {
            sessionEpoch = fetched.sessionId() == sessionId ? sessionEpoch + 1 : 1;
            sessionId = fetched.sessionId();
        } else if (response instanceof InitProducerIdResponseData initialized) {
            producerId = initialized.producerId();
        }
    }

    long producerId() {
        return producerId;
    }

    String string(String field, Decisions decisions) {
        return switch (field) {
            case "group_id", "group", "groups", "groups_names", "key", "coordinator_keys" -> decisions.of(GROUPS);
            case "member_id", "leader", "protocol_leader" -> decisions.oneIn(4) ? "" : memberId;
            case "group_instance_id" -> decisions.of(new String[] {"static-a", "static-b"});
            case "protocol_type" -> "consumer";
            case "protocol_name" -> decisions.of(PROTOCOLS);
            case "resource_name" -> decisions.oneIn(3) ? "1" : decisions.of(TOPIC_NAMES);
            case "path" -> decisions.of(broker.directories().toArray()).toString();
            case "config_name", "configuration_keys" -> decisions.of(SETTINGS);
            case "value" -> decisions.of(VALUES);
            case "transactional_id" -> decisions.oneIn(4) ? "transaction" : null;
            case "client_software_name", "client_software_version" -> "raw";
            case "name" ->
                switch (decisions.below(6)) {
                    case 0 -> decisions.of(SETTINGS);
                    case 1 -> decisions.of(PROTOCOLS);
                    default -> decisions.of(TOPIC_NAMES);
                };
            default -> decisions.of(TOPIC_NAMES);
        };
    }

    Uuid uuid(Decisions decisions) {
        if (decisions.oneIn(4)) {
            return new Uuid(decisions.nextLong(), decisions.nextLong());
        }
        return broker.topics().byName(decisions.of(TOPIC_NAMES)).map(Topic::id).orElse(Uuid.ZERO_UUID);
    }

    long number(String field, Decisions decisions) {
        return switch (field) {
            case "max_wait_ms" -> decisions.of(0, 0, 1, 3);
            case "min_bytes" -> decisions.of(0, 1, 100);
            case "max_bytes", "partition_max_bytes" -> decisions.of(1 << 20, 100, 0);
            case "session_id" -> decisions.oneIn(3) ? 0 : sessionId;
            case "session_epoch" -> decisions.oneIn(2) ? sessionEpoch : decisions.of(-1, 0, 1);
            case "session_timeout_ms" -> decisions.of(100, 300);
            case "rebalance_timeout_ms", "timeout_ms" -> decisions.of(10, 100);
            case "generation_id", "generation_id_or_member_epoch" -> decisions.oneIn(3) ? -1 : generation;
            case "acks" -> decisions.of(-1, -1, 1, 0);
            case "num_partitions", "count" -> decisions.of(1, 2, 3, -1);
            case "replication_factor" -> decisions.of(1, -1);
            case "broker_ids", "broker_id", "node_id" -> decisions.of(1, 1, 2);
            case "key_type" -> decisions.of(0, 0, 1);
            case "resource_type" -> decisions.of(2, 2, 4, 8);
            case "timestamp" -> decisions.of(-1, -2, -3, -4, -5, -6, 0, 1_000);
            case "producer_id" -> decisions.oneIn(2) ? -1 : producerId;
            case "replica_id", "current_leader_epoch", "committed_leader_epoch", "producer_epoch" ->
                decisions.of(-1, 0);
            default -> decisions.of(0, 0, 1, 2, 3, -1);
        };
    }
}
