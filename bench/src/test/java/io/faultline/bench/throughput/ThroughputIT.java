package io.faultline.bench.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the experiments work; what they measure is for quiet machines to say. */
class ThroughputIT {

    @TempDir
    private Path folder;

    @Test
    void theAgentIsAttachedToABrokerThatServesAndDetachedAgain() throws Exception {
        String result = Experiments.result(
                new KafkaThroughput(), folder, "--rounds", "1", "--settle-millis", "80", "--millis", "80");
        assertThat(result).contains("PLAINTEXT, ns a byte", "TLS, ns a byte", "What the agent adds");
    }

    @Test
    void theBundledBrokerIsComparedWithApacheKafka() throws Exception {
        String result = Experiments.result(
                new BrokerThroughput(), folder, "--rounds", "1", "--records", "1000", "--starts", "1");
        assertThat(result).contains("produce, PLAINTEXT", "fetch, TLS", "less peak memory", "faster start");
    }

    @Test
    void theBundledClientIsComparedWithKafkaClients() throws Exception {
        String result = Experiments.result(
                new ClientThroughput(),
                folder,
                "--rounds",
                "1",
                "--records",
                "2000",
                "--rate",
                "200",
                "--rate-millis",
                "200",
                "--sampled",
                "20000");
        assertThat(result).contains("produce, records a second", "latency, median", "The watchdogs' own cost");
    }
}
