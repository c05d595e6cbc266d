package io.faultline.client;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;

/** The configuration keys: Kafka's own definitions of those that this client has, and a few of this client's. */
final class ClientKeys {

    /** The largest response that is accepted; a broker's largest request is the same. */
    static final String RESPONSE_MAX_BYTES = "response.max.bytes";

    /** How long the event loop may be stuck. */
    static final String LOOP_TIMEOUT_MS = "loop.timeout.ms";

    private static final int SHORTEST_LOOP_TIMEOUT_MS = 2_000;

    /** What producers and consumers have in common. */
    static final List<String> COMMON = List.of(
            CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
            CommonClientConfigs.CLIENT_DNS_LOOKUP_CONFIG,
            CommonClientConfigs.CLIENT_ID_CONFIG,
            CommonClientConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG,
            CommonClientConfigs.METADATA_MAX_AGE_CONFIG,
            CommonClientConfigs.METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG,
            CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG,
            CommonClientConfigs.RECEIVE_BUFFER_CONFIG,
            CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG,
            CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG,
            CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG,
            CommonClientConfigs.RETRY_BACKOFF_MAX_MS_CONFIG,
            CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG,
            CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
            CommonClientConfigs.SEND_BUFFER_CONFIG,
            CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG,
            CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG);

    private ClientKeys() {}

    /**
     * Takes over Kafka's definitions, and adds this client's own.
     *
     * @param kafka all of Kafka's keys for this kind of client
     * @param more the names of those that are taken beside the common ones and {@code ssl.*}
     * @return the keys
     */
    static ConfigDef taken(ConfigDef kafka, Collection<String> more) {
        ConfigDef keys = new ConfigDef();
        for (ConfigKey key : kafka.configKeys().values()) {
            boolean taken = COMMON.contains(key.name) || more.contains(key.name);
            if (key.name.equals(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG)) {
                // SASL is a matter of the connection layer, and this one has none.
                keys.define(narrowed(key, "PLAINTEXT", "SSL"));
            } else if (key.name.equals(CommonClientConfigs.CLIENT_DNS_LOOKUP_CONFIG)) {
                keys.define(narrowed(key, "use_all_dns_ips"));
            } else if (taken) {
                keys.define(key);
            }
        }
        SslConfigs.addClientSslSupport(keys);
        return keys.define(
                        RESPONSE_MAX_BYTES,
                        Type.INT,
                        100 << 20,
                        ConfigDef.Range.atLeast(1024),
                        Importance.LOW,
                        "The largest response that is accepted. A larger one closes the connection before room is made for it.")
                .define(
                        LOOP_TIMEOUT_MS,
                        Type.INT,
                        10_000,
                        ConfigDef.Range.atLeast(SHORTEST_LOOP_TIMEOUT_MS),
                        Importance.LOW,
                        "How long the client's network thread may make no turn before the client is closed and all that"
                                + " is pending fails.");
    }

    private static ConfigKey narrowed(ConfigKey key, String... accepted) {
        return new ConfigKey(
                key.name,
                key.type,
                key.defaultValue,
                ValidString.in(accepted),
                key.importance,
                key.documentation,
                key.group,
                key.orderInGroup,
                key.width,
                key.displayName,
                key.dependents,
                key.recommender,
                key.internalConfig);
    }

    /**
     * Reads a configuration.
     *
     * @param keys the keys that there are
     * @param given names and values
     * @return the values
     * @throws ConfigException if a key or value is wrong; the message names key, value and what is accepted
     */
    static AbstractConfig parse(ConfigDef keys, Map<String, ?> given) {
        for (Map.Entry<String, ?> entry : new TreeMap<>(given).entrySet()) {
            if (!keys.names().contains(entry.getKey())) {
                throw new ConfigException("Unknown configuration " + entry.getKey() + " with value " + entry.getValue()
                        + ": accepted are "
                        + String.join(
                                ", ",
                                keys.names().stream()
                                        .filter(name -> !name.startsWith("ssl."))
                                        .sorted()
                                        .toList())
                        + ", and Kafka's ssl.* keys");
            }
        }
        return new AbstractConfig(keys, given, false);
    }
}
