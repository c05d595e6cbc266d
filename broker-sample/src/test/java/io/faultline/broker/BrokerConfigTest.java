package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.faultline.broker.network.Listener;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokerConfigTest {

    @Test
    void logDirsAreAllThatMustBeSaid() {
        BrokerConfig config = BrokerConfig.of(Map.of("log.dirs", "/a, b/c"));
        assertThat(config.logDirs()).containsExactly("/a", "b/c");
        assertThat(config.listeners()).extracting(Listener::toString).containsExactly("PLAINTEXT://127.0.0.1:9092");
        assertThat(config.log().segmentBytes()).isEqualTo(1 << 30);
        assertThat(config.nodeId()).isEqualTo(1);
    }

    @Test
    void listenersAreReadInEverySpelling() {
        BrokerConfig config = BrokerConfig.of(
                Map.of("log.dirs", "a", "listeners", "plaintext://[::1]:0", "advertised.listeners", "PLAINTEXT://h:1"));
        assertThat(config.listeners().get(0).hostAndPort()).isEqualTo("[::1]:0");
        assertThat(config.advertisedListeners().get(0).hostAndPort()).isEqualTo("h:1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    num.partitions               | 0                          | at least 1
                    num.partitions               | many                       | Not a number
                    log.segment.bytes            | 10                         | at least 1024
                    log.segment.bytes            | 4294967296                 | Not a number
                    log.flush.interval.messages  | 0                          | at least 1
                    auto.create.topics.enable    | perhaps                    | either true or false
                    node.id                      | -1                         | at least 0
                    log.dirs                     | a,a                        | different directories
                    listeners                    | 127.0.0.1:9092             | PLAINTEXT://HOST:PORT
                    listeners                    | SASL_SSL://h:1             | PLAINTEXT://HOST:PORT
                    listeners                    | PLAINTEXT://h:99999        | PLAINTEXT://HOST:PORT
                    listeners                    | PLAINTEXT://0.0.0.0:1      | routable
                    listeners                    | PLAINTEXT://h:1,PLAINTEXT://h:2 | one listener per protocol
                    advertised.listeners         | SSL://h:1                  | protocols of the listeners
                    ssl.client.auth              | maybe                      | requested
                    log.segment.byte             | 1024                       | log.segment.bytes
                    process.roles                | controller                 | broker
                    authorizer.class.name        | o.a.k.StandardAuthorizer   | nobody is refused
                    default.replication.factor   | 3                          | one node
                    min.insync.replicas          | 2                          | one node
                    compression.type             | brotli                     | producer
                    log.retention.hours          | week                       | number of hours
                    listener.name.ssl.ssl.client.auth | required              | without its first three parts
                    listener.security.protocol.map | PLAINTEXT:SSL            | named like its protocol
                    listener.security.protocol.maps | PLAINTEXT:SSL           | accepted are
                    """)
    void aWrongKeyOrValueIsOneLineThatNamesKeyValueAndWhatIsAccepted(String key, String value, String accepted) {
        Map<String, String> properties = new HashMap<>(Map.of("log.dirs", "a"));
        properties.put(key, value);
        assertThatThrownBy(() -> BrokerConfig.of(properties))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(key)
                .hasMessageContaining(value.split(",")[0])
                .hasMessageContaining(accepted)
                .hasMessageNotContaining("\n");
    }

    @Test
    void everythingWrongIsSaidAtOnce() {
        assertThatThrownBy(() -> BrokerConfig.of(Map.of(
                        "num.partitions", "0",
                        "listeners", "SASL_SSL://h:1",
                        "no.such.key", "1",
                        "nor.this.password", "geheim",
                        "min.insync.replicas", "2")))
                .isInstanceOf(ConfigException.class)
                .satisfies(problem -> assertThat(problem.getMessage().lines())
                        .hasSize(5)
                        .anyMatch(line -> line.contains("num.partitions"))
                        .anyMatch(line -> line.contains("SASL_SSL://h:1"))
                        .anyMatch(line ->
                                line.contains("no.such.key with value 1, nor.this.password with value [hidden]"))
                        .anyMatch(line -> line.contains("min.insync.replicas"))
                        .anyMatch(line -> line.contains("log.dirs")));
    }

    @Test
    void aServerPropertiesOfACombinedKafkaIsTaken() {
        // What comes with Kafka as config/server.properties, in its keys and values.
        BrokerConfig config = BrokerConfig.of(Map.ofEntries(
                Map.entry("process.roles", "broker,controller"),
                Map.entry("node.id", "7"),
                Map.entry("controller.quorum.bootstrap.servers", "localhost:9093"),
                Map.entry("listeners", "PLAINTEXT://:9092,CONTROLLER://:9093"),
                Map.entry("inter.broker.listener.name", "PLAINTEXT"),
                Map.entry("advertised.listeners", "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093"),
                Map.entry("controller.listener.names", "CONTROLLER"),
                Map.entry(
                        "listener.security.protocol.map",
                        "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT"),
                Map.entry("num.network.threads", "3"),
                Map.entry("num.io.threads", "8"),
                Map.entry("socket.send.buffer.bytes", "102400"),
                Map.entry("socket.receive.buffer.bytes", "102400"),
                Map.entry("socket.request.max.bytes", "104857600"),
                Map.entry("log.dirs", "/tmp/kraft-combined-logs"),
                Map.entry("num.partitions", "1"),
                Map.entry("num.recovery.threads.per.data.dir", "2"),
                Map.entry("offsets.topic.replication.factor", "1"),
                Map.entry("share.coordinator.state.topic.replication.factor", "1"),
                Map.entry("share.coordinator.state.topic.min.isr", "1"),
                Map.entry("transaction.state.log.replication.factor", "1"),
                Map.entry("transaction.state.log.min.isr", "1"),
                Map.entry("log.retention.hours", "168"),
                Map.entry("log.segment.bytes", "1073741824"),
                Map.entry("log.retention.check.interval.ms", "300000")));
        assertThat(config.nodeId()).isEqualTo(7);
        assertThat(config.listeners()).extracting(Listener::toString).containsExactly("PLAINTEXT://:9092");
        assertThat(config.advertisedListeners())
                .extracting(Listener::toString)
                .containsExactly("PLAINTEXT://localhost:9092");
        assertThat(config.log().retentionMs()).isEqualTo(604_800_000);
        assertThat(config.given()).contains("log.retention.ms").doesNotContain("process.roles");
        assertThat(config.ignored())
                .contains("process.roles", "controller.listener.names", "offsets.topic.replication.factor")
                .doesNotContain("node.id", "log.retention.hours");
    }

    @Test
    void oldNamesAndCoarserUnitsGiveWayToNewAndFinerOnes() {
        BrokerConfig config = BrokerConfig.of(Map.of(
                "log.dir", "/old",
                "broker.id", "3",
                "log.retention.hours", "1",
                "log.retention.minutes", "2",
                "log.roll.hours", "5",
                "zookeeper.connect", "localhost:2181"));
        assertThat(config.logDirs()).containsExactly("/old");
        assertThat(config.nodeId()).isEqualTo(3);
        assertThat(config.log().retentionMs()).isEqualTo(120_000);
        assertThat(config.log().segmentMs()).isEqualTo(18_000_000);
        assertThat(BrokerConfig.of(Map.of("log.dirs", "/new", "log.dir", "/old", "log.retention.hours", "-1")))
                .satisfies(other -> assertThat(other.logDirs()).containsExactly("/new"))
                .satisfies(other -> assertThat(other.log().retentionMs()).isEqualTo(-1));
    }

    @Test
    void logDirsAreRequired() {
        assertThatThrownBy(() -> BrokerConfig.of(Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("log.dirs");
    }

    @Test
    void anSslListenerNeedsAKeystore() {
        assertThatThrownBy(() -> BrokerConfig.of(Map.of("log.dirs", "a", "listeners", "SSL://127.0.0.1:0")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("ssl.keystore.location")
                .hasMessageContaining("--generate-tls=DIR");
    }

    @Test
    void everyKeyIsInTheHelpWithItsDefault() {
        assertThat(BrokerConfig.help())
                .anySatisfy(line ->
                        assertThat(line).contains("--log.segment.bytes=").contains("1073741824"))
                .anySatisfy(line -> assertThat(line).contains("--log.dirs=").contains("(required)"))
                .allSatisfy(line -> assertThat(line).hasSizeLessThan(160));
    }
}
