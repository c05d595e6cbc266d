package io.faultline.client;

import io.faultline.client.consume.ConsumeConfig;
import io.faultline.client.consume.GroupConfig;
import io.faultline.client.protocol.FetchSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** The configuration keys of a consumer. */
final class ConsumerKeys {

    /** Kafka's own definitions of the keys that this consumer has. */
    static final ConfigDef KEYS = ClientKeys.taken(
            ConsumerConfig.configDef(),
            List.of(
                    ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                    ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG,
                    ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                    ConsumerConfig.CHECK_CRCS_CONFIG,
                    ConsumerConfig.CLIENT_RACK_CONFIG,
                    ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                    ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                    ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                    ConsumerConfig.FETCH_MIN_BYTES_CONFIG,
                    ConsumerConfig.GROUP_ID_CONFIG,
                    ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                    ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
                    ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                    ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                    ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                    ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
                    ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                    ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                    ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG));

    private static final String LATEST = "latest";
    private static final String EARLIEST = "earliest";
    private static final String NONE = "none";
    private static final long END = -1;
    private static final long BEGINNING = -2;

    private ConsumerKeys() {}

    /**
     * Reads how records are consumed.
     *
     * @param values the whole configuration
     * @param given the keys that are no defaults
     * @param clientId what the client is called
     * @return the part of it
     * @throws ConfigException if values do not go together; the message names key, value and what is accepted
     */
    static ConsumeConfig consume(AbstractConfig values, Map<String, ?> given, String clientId) {
        Optional<GroupConfig> group = group(values);
        String isolation = values.getString(ConsumerConfig.ISOLATION_LEVEL_CONFIG);
        return new ConsumeConfig(
                clientId,
                group,
                new FetchSession.Terms(
                        values.getInt(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG),
                        values.getInt(ConsumerConfig.FETCH_MIN_BYTES_CONFIG),
                        values.getInt(ConsumerConfig.FETCH_MAX_BYTES_CONFIG),
                        IsolationLevel.valueOf(isolation.toUpperCase(Locale.ROOT)),
                        values.getString(ConsumerConfig.CLIENT_RACK_CONFIG)),
                values.getInt(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG),
                values.getBoolean(ConsumerConfig.CHECK_CRCS_CONFIG),
                reset(values.getString(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)),
                autoCommit(values, given, group.isPresent()),
                values.getInt(ConsumerConfig.MAX_POLL_RECORDS_CONFIG),
                ClientConfig.millis(values, CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG),
                ClientConfig.millis(values, ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG),
                ClientConfig.millis(values, CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG),
                ClientConfig.millis(values, CommonClientConfigs.RETRY_BACKOFF_MAX_MS_CONFIG),
                ClientConfig.millis(values, CommonClientConfigs.METADATA_MAX_AGE_CONFIG));
    }

    private static ConsumeConfig.Reset reset(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case LATEST -> () -> OptionalLong.of(END);
            case EARLIEST -> () -> OptionalLong.of(BEGINNING);
            case NONE -> OptionalLong::empty;
            default -> {
                AutoOffsetResetStrategy byDuration = AutoOffsetResetStrategy.fromString(text);
                yield () -> OptionalLong.of(byDuration.timestamp().orElseThrow());
            }
        };
    }

    /** As with Kafka's own: on by default, but without a group only if it is asked for, which is an error. */
    private static Optional<Duration> autoCommit(AbstractConfig values, Map<String, ?> given, boolean hasGroup) {
        if (!values.getBoolean(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG)) {
            return Optional.empty();
        }
        if (!hasGroup) {
            if (given.containsKey(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG)) {
                throw new ConfigException(
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, true, "without a group.id accepted is false");
            }
            return Optional.empty();
        }
        return Optional.of(ClientConfig.millis(values, ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG));
    }

    private static Optional<GroupConfig> group(AbstractConfig values) {
        String id = values.getString(ConsumerConfig.GROUP_ID_CONFIG);
        if (id == null) {
            return Optional.empty();
        }
        if (id.isBlank()) {
            throw new ConfigException(ConsumerConfig.GROUP_ID_CONFIG, id, "accepted is a name that is not empty");
        }
        Duration session = ClientConfig.millis(values, ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG);
        Duration heartbeat = ClientConfig.millis(values, ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG);
        if (heartbeat.compareTo(session) >= 0) {
            throw new ConfigException(
                    ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
                    heartbeat.toMillis(),
                    "accepted is less than session.timeout.ms, which is " + session.toMillis());
        }
        return Optional.of(new GroupConfig(
                id,
                values.getString(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG),
                session,
                heartbeat,
                ClientConfig.millis(values, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG),
                assignors(values.getList(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG)),
                values.getString(ConsumerConfig.CLIENT_RACK_CONFIG)));
    }

    /** Kafka's own only: they run on the loop, where nothing of the application's may. */
    private static List<ConsumerPartitionAssignor> assignors(List<?> given) {
        List<ConsumerPartitionAssignor> known = List.of(
                new RangeAssignor(), new RoundRobinAssignor(), new StickyAssignor(), new CooperativeStickyAssignor());
        List<ConsumerPartitionAssignor> assignors = new ArrayList<>();
        for (Object one : given) {
            String name =
                    one instanceof Class<?> type ? type.getName() : String.valueOf(one); // the default are classes
            assignors.add(known.stream()
                    .filter(assignor -> assignor.getClass().getName().equals(name)
                            || assignor.getClass().getSimpleName().equals(name)
                            || assignor.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new ConfigException(
                            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                            name,
                            "accepted are "
                                    + String.join(
                                            ", ",
                                            known.stream()
                                                    .map(assignor ->
                                                            assignor.getClass().getName())
                                                    .toList()))));
        }
        if (assignors.isEmpty()) {
            throw new ConfigException(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, given, "accepted is at least one assignor");
        }
        return assignors;
    }
}
