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
                    process.roles                | broker                     | accepted are
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
