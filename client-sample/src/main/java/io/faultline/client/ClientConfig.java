package io.faultline.client;

import io.faultline.client.metadata.MetadataConfig;
import io.faultline.client.network.ConnectConfig;
import io.faultline.client.network.HostPort;
import io.faultline.client.network.SocketConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Utils;

/**
 * What producers and consumers have in common. Immutable.
 *
 * @param clientId {@code client.id}, made up where it was empty
 * @param bootstrap {@code bootstrap.servers}
 * @param protocol {@code security.protocol}
 * @param ssl the {@code ssl.*} keys
 * @param connect how connections are made and kept
 * @param socket how sockets are set up
 * @param metadata how the view of the cluster is kept fresh
 * @param requestTimeout {@code request.timeout.ms}
 * @param retryBackoff {@code retry.backoff.ms}
 * @param retryBackoffMax {@code retry.backoff.max.ms}
 * @param loopTimeout {@code loop.timeout.ms}
 */
record ClientConfig(
        String clientId,
        List<HostPort> bootstrap,
        SecurityProtocol protocol,
        Map<String, Object> ssl,
        ConnectConfig connect,
        SocketConfig socket,
        MetadataConfig metadata,
        Duration requestTimeout,
        Duration retryBackoff,
        Duration retryBackoffMax,
        Duration loopTimeout) {

    private static final AtomicLong NAMELESS = new AtomicLong();
    private static final String REBOOTSTRAP = "rebootstrap";

    /**
     * Takes the common values out of a configuration.
     *
     * @param values all of it
     * @param kind of client, for the name of one that was given none
     * @param metadataMaxIdle after what time a topic that nobody uses is forgotten
     * @param createTopics whether a topic that is asked about is made
     */
    static ClientConfig of(AbstractConfig values, String kind, Duration metadataMaxIdle, boolean createTopics) {
        String given = values.getString(CommonClientConfigs.CLIENT_ID_CONFIG);
        String clientId = given.isEmpty() ? kind + "-" + NAMELESS.incrementAndGet() : given;
        Duration requestTimeout = millis(values, CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG);
        Duration retryBackoff = millis(values, CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG);
        Duration retryBackoffMax = millis(values, CommonClientConfigs.RETRY_BACKOFF_MAX_MS_CONFIG);
        return new ClientConfig(
                clientId,
                bootstrap(values),
                SecurityProtocol.forName(values.getString(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG)),
                ssl(values),
                new ConnectConfig(
                        clientId,
                        millis(values, CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG),
                        millis(values, CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG),
                        millis(values, CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG),
                        millis(values, CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG),
                        millis(values, CommonClientConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG)),
                new SocketConfig(
                        values.getInt(CommonClientConfigs.SEND_BUFFER_CONFIG),
                        values.getInt(CommonClientConfigs.RECEIVE_BUFFER_CONFIG),
                        values.getInt(ClientKeys.RESPONSE_MAX_BYTES)),
                new MetadataConfig(
                        millis(values, CommonClientConfigs.METADATA_MAX_AGE_CONFIG),
                        metadataMaxIdle,
                        requestTimeout,
                        retryBackoff,
                        retryBackoffMax,
                        values.getString(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG)
                                .equalsIgnoreCase(REBOOTSTRAP),
                        millis(values, CommonClientConfigs.METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG),
                        createTopics),
                requestTimeout,
                retryBackoff,
                retryBackoffMax,
                millis(values, ClientKeys.LOOP_TIMEOUT_MS));
    }

    /** Whatever of Kafka's times a key has, int or long: always milliseconds. */
    static Duration millis(AbstractConfig values, String key) {
        return Duration.ofMillis(((Number) values.values().get(key)).longValue());
    }

    private static Map<String, Object> ssl(AbstractConfig values) {
        Map<String, Object> ssl = new HashMap<>();
        values.values().forEach((key, value) -> {
            if (key.startsWith("ssl.")) {
                ssl.put(key, value);
            }
        });
        return ssl;
    }

    private static List<HostPort> bootstrap(AbstractConfig values) {
        String key = CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG;
        List<String> given = values.getList(key);
        List<HostPort> addresses = new ArrayList<>();
        for (String address : given) {
            String host = Utils.getHost(address);
            Integer port = Utils.getPort(address);
            if (host == null || port == null || port < 1 || port > 0xFFFF) {
                throw new ConfigException(key, address, "accepted is host:port, or more of them by commas");
            }
            addresses.add(new HostPort(host, port));
        }
        if (addresses.isEmpty()) {
            throw new ConfigException(key, given, "accepted is host:port, or more of them by commas");
        }
        return addresses;
    }
}
