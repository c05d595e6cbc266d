package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;

class ClientCoreTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void itGetsAViewOfTheClusterInPlaintext() throws Exception {
        try (EmbeddedBroker broker =
                EmbeddedBroker.builder().defaultPartitions(3).start()) {
            ClientCore core = started(Map.of("bootstrap.servers", broker.bootstrapServers()));
            assertThatATopicAppears(core);
            end(core);
        }
    }

    @Test
    void itGetsAViewOfTheClusterOverTls() throws Exception {
        try (EmbeddedBroker broker =
                EmbeddedBroker.builder().tlsOnly().defaultPartitions(3).start()) {
            Map<String, String> config = new HashMap<>(broker.clientTlsProperties());
            config.put("bootstrap.servers", broker.sslBootstrapServers());
            ClientCore core = started(config);
            assertThatATopicAppears(core);
            end(core);
        }
    }

    private static void assertThatATopicAppears(ClientCore core) {
        core.loop().execute(() -> core.metadata().want("t"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(core.metadata().view().topic("t"))
                        .hasValueSatisfying(
                                topic -> assertThat(topic.partitions()).hasSize(3)));
    }

    private static ClientCore started(Map<String, ?> given) {
        ConfigDef keys = ClientKeys.taken(ProducerConfig.configDef(), List.of());
        ClientConfig config = ClientConfig.of(ClientKeys.parse(keys, given), "test", Duration.ofMinutes(5), true);
        ClientCore core = new ClientCore(config, Wiring.production(), loop -> Runnable::run);
        core.start(new ClientCore.Owner() {
            @Override
            public void onLoopLost(KafkaException cause) {
                throw new AssertionError(cause);
            }

            @Override
            public void onClose() {
                // Nothing is pending.
            }
        });
        return core;
    }

    private static void end(ClientCore core) throws InterruptedException {
        core.shutDown();
        assertThat(core.awaitEnd(PATIENCE)).isTrue();
    }
}
