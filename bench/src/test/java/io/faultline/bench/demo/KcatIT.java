package io.faultline.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.BrokerProcess;
import io.faultline.bench.client.Kcat;
import io.faultline.bench.client.LogDirs;
import io.faultline.bench.client.Records;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The failing disk as kcat sees it, a client of another make (librdkafka): with the agent it is never given a wrong byte and the directory goes offline; without, the
 * directory stays online.
 */
@NeedsFailingDisk
class KcatIT {

    private static final int EACH = 5_000;
    private static final String TOPIC = "kcat";

    @TempDir
    Path temporary;

    @BeforeEach
    void needsKcat() throws InterruptedException {
        boolean there = Kcat.isInstalled();
        if (!there && "true".equals(System.getenv("CI"))) {
            throw new AssertionError("kcat is missing: apt-get install kcat");
        }
        Assumptions.assumeTrue(there, "kcat is missing: apt-get install kcat");
    }

    @Test
    void withTheAgentAPlaintextConsumerGetsOnlyRightRecordsAndTheDirectoryGoesOffline() throws Exception {
        play("PLAINTEXT", "mode=act");
    }

    @Test
    void withTheAgentATlsConsumerGetsOnlyRightRecordsAndTheDirectoryGoesOffline() throws Exception {
        play("SSL", "mode=act");
    }

    @Test
    void withoutTheAgentAPlaintextConsumerStallsAndTheDirectoryStaysOnline() throws Exception {
        play("PLAINTEXT", null);
    }

    @Test
    void withoutTheAgentATlsConsumerGetsNoFurtherAndTheDirectoryStaysOnline() throws Exception {
        play("SSL", null);
    }

    private void play(String listener, String agent) throws Exception {
        Path healthy = Files.createDirectory(temporary.resolve("healthy"));
        Path tls = temporary.resolve("tls");
        try (FailingDisk disk = FailingDisk.btrfs()) {
            Path failing = Files.createDirectory(disk.directory().resolve("logs"));
            try (BrokerProcess broker = BrokerProcess.start(Layout.ofThisBuild(), agent, tls, healthy, failing)) {
                Properties client = new Properties();
                client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.address("PLAINTEXT"));
                try (Admin admin = Admin.create(client)) {
                    admin.createTopics(List.of(new NewTopic(TOPIC, 2, (short) 1)))
                            .all()
                            .get();
                    TopicPartition ofFailing =
                            LogDirs.placement(admin, Scene.NODE).get(failing.toString());
                    TopicPartition ofHealthy =
                            LogDirs.placement(admin, Scene.NODE).get(healthy.toString());
                    Records.produce(broker.address("PLAINTEXT"), "1", EACH, ofHealthy, ofFailing);
                    Path segment = failing.resolve(ofFailing.toString()).resolve("00000000000000000000.log");
                    long from = Files.size(segment) / 4 / 4096 * 4096;
                    disk.poison(segment, from, Files.size(segment) - from);

                    Kcat.Received ofFailed = consume(broker, listener, tls, ofFailing);
                    if (agent != null) {
                        // kcat may be gone before the verdict is there.
                        await().atMost(Duration.ofSeconds(30))
                                .until(() -> LogDirs.offline(admin, Scene.NODE).contains(failing.toString()));
                    }
                    boolean offline = LogDirs.offline(admin, Scene.NODE).contains(failing.toString());
                    Kcat.Received ofSound = consume(broker, listener, tls, ofHealthy);

                    assertThat(ofSound).isEqualTo(new Kcat.Received(EACH, 0));
                    assertThat(ofFailed.right()).isBetween(1L, (long) EACH / 4 + 100);
                    assertThat(LogDirs.offline(admin, Scene.NODE)).doesNotContain(healthy.toString());
                    assertThat(offline).isEqualTo(agent != null);
                    if (agent != null) {
                        assertThat(ofFailed.wrong()).isZero();
                    }
                }
            }
        }
    }

    private static Kcat.Received consume(BrokerProcess broker, String listener, Path tls, TopicPartition partition)
            throws IOException, InterruptedException {
        List<String> settings = listener.equals("SSL")
                ? List.of("security.protocol=ssl", "ssl.ca.location=" + tls.resolve("ca.pem"))
                : List.of();
        return Kcat.consume(broker.address(listener), partition, EACH, settings);
    }
}
