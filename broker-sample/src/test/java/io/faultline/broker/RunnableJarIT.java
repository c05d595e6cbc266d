package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunnableJarIT {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final String ANY_PORT = "--listeners=PLAINTEXT://127.0.0.1:0";

    @TempDir
    Path scratch;

    @Test
    void itServesUntilItIsTerminatedAndGoesOnWhereItStopped() throws Exception {
        Path file = Files.writeString(
                scratch.resolve("server.properties"),
                "log.dirs=" + scratch.resolve("a") + "," + scratch.resolve("b") + "\nnode.id=5\n");
        try (BrokerProcess broker = BrokerProcess.start(scratch, file.toString(), ANY_PORT)) {
            Clients.plaintext(broker.awaitReady("PLAINTEXT")).produce(PARTITION, 100, 100);
            broker.terminate();
            assertThat(broker.awaitExit()).isZero();
            assertThat(broker.out().lines()).hasSize(1);
        }
        try (BrokerProcess broker = BrokerProcess.start(scratch, file.toString(), ANY_PORT)) {
            assertThat(Clients.plaintext(broker.awaitReady("PLAINTEXT")).consume(PARTITION, 100))
                    .hasSize(100);
        }
    }

    @Test
    void recordsThatWereAcknowledgedOutliveAKilledProcess() throws Exception {
        String[] arguments = {ANY_PORT, "--log.dirs=" + scratch.resolve("a")};
        try (BrokerProcess broker = BrokerProcess.start(scratch, arguments)) {
            Clients.plaintext(broker.awaitReady("PLAINTEXT")).produce(PARTITION, 1_000, 100);
        }
        try (BrokerProcess broker = BrokerProcess.start(scratch, arguments)) {
            assertThat(Clients.plaintext(broker.awaitReady("PLAINTEXT")).consume(PARTITION, 1_000))
                    .hasSize(1_000);
        }
    }

    @Test
    void itMakesCertificatesForItsSslListenerAndKeepsThem() throws Exception {
        Path tls = scratch.resolve("tls");
        String[] arguments = {
            "--listeners=PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0",
            "--log.dirs=" + scratch.resolve("a"),
            "--generate-tls=" + tls
        };
        String authority;
        try (BrokerProcess broker = BrokerProcess.start(scratch, arguments)) {
            tlsClients(broker, tls).produce(PARTITION, 100, 1_000);
            authority = Files.readString(tls.resolve("ca.pem"));
        }
        try (BrokerProcess broker = BrokerProcess.start(scratch, arguments)) {
            assertThat(tlsClients(broker, tls).consume(PARTITION, 100)).hasSize(100);
        }
        assertThat(tls.resolve("ca.pem")).hasContent(authority);
    }

    private static Clients tlsClients(BrokerProcess broker, Path tls) throws IOException {
        Properties file = new Properties();
        String ssl = broker.awaitReady("SSL");
        try (var reader = Files.newBufferedReader(tls.resolve("client.properties"))) {
            file.load(reader);
        }
        Map<String, Object> properties = new HashMap<>();
        file.forEach((key, value) -> properties.put(key.toString(), value));
        Clients clients = Clients.plaintext(ssl);
        for (Map.Entry<String, Object> property : properties.entrySet()) {
            clients = clients.with(property.getKey(), property.getValue());
        }
        return clients;
    }

    @Test
    @NeedsFailingDisk
    void theFailureOfTheLastDirectoryEndsIt(FailingDisk disk) throws Exception {
        Path data = disk.directory().resolve("data");
        try (BrokerProcess broker = BrokerProcess.start(scratch, ANY_PORT, "--log.dirs=" + data)) {
            String bootstrap = broker.awaitReady("PLAINTEXT");
            Clients.plaintext(bootstrap).produce(PARTITION, 1, 100);
            disk.poison(data.resolve("t-0/00000000000000000000.log"), 0, 1);
            try (RawClient client = new RawClient(bootstrap)) {
                client.send(ApiKeys.PRODUCE, Requests.PRODUCE_BY_NAME, Requests.produce("t", "value"));
            }
            assertThat(broker.awaitExit()).isEqualTo(1);
            assertThat(broker.err())
                    .containsPattern("\\d\\d:\\d\\d:\\d\\d,\\d\\d\\d ERROR .*Log directory " + data
                            + " is offline: failed while appending to t-0: .*Input/output error")
                    .contains("the last log directory is offline: " + data);
        }
    }

    @Test
    void oneDirectoryOfTwoMayVanish() throws Exception {
        Path vanishing = scratch.resolve("a");
        try (BrokerProcess broker =
                BrokerProcess.start(scratch, ANY_PORT, "--log.dirs=" + vanishing + "," + scratch.resolve("b"))) {
            Clients clients = Clients.plaintext(broker.awaitReady("PLAINTEXT"));
            deleteTree(vanishing);
            clients.createTopic("t", 1);
            clients.produce(PARTITION, 10, 10);
            await().until(() -> broker.err().contains("Log directory " + vanishing + " is offline: "));
            broker.terminate();
            assertThat(broker.awaitExit()).isZero();
        }
    }

    @Test
    void malformedRequestsAreOneLineEach() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(scratch, ANY_PORT, "--log.dirs=" + scratch.resolve("a"))) {
            String bootstrap = broker.awaitReady("PLAINTEXT");
            long before = broker.err().lines().count();
            try (RawClient oversize = new RawClient(bootstrap);
                    RawClient garbage = new RawClient(bootstrap)) {
                oversize.sendBytes(new byte[] {0x7f, 0, 0, 0});
                assertThat(oversize.bytesUntilClosed()).isZero();
                garbage.sendBytes(new byte[] {0, 0, 0, 4, 0x55, 0x55, 0, 0});
                assertThat(garbage.bytesUntilClosed()).isZero();
            }
            await().untilAsserted(() -> assertThat(broker.err().lines().skip(before))
                    .hasSize(2)
                    .anySatisfy(line -> assertThat(line).contains("InvalidReceiveException"))
                    .anySatisfy(line -> assertThat(line).contains("malformed request")));
        }
    }

    @Test
    void aWrongConfigurationIsOneLineAndExitCodeTwo() throws Exception {
        assertRefused(2, "Invalid value 0 for configuration num.partitions", "--num.partitions=0", "--log.dirs=a");
        assertRefused(2, "Unknown configuration no.such with value 1", "--no.such=1", "--log.dirs=a");
        assertRefused(2, "Argument -x is wrong", "-x", "--log.dirs=a");
        assertRefused(2, "log.dirs", ANY_PORT);
    }

    @Test
    void everythingWrongIsSaidAtOnceAndNothingIsMade() throws Exception {
        Path tls = scratch.resolve("tls");
        Path data = scratch.resolve("data");
        try (BrokerProcess broker = BrokerProcess.start(
                scratch, "-x", "--generate-tls=" + tls, "--log.dirs=" + data, "--num.partitions=0", "--no.such=1")) {
            assertThat(broker.awaitExit()).isEqualTo(2);
            assertThat(broker.err().lines())
                    .hasSize(3)
                    .allMatch(line -> line.startsWith("faultline-broker: "))
                    .anyMatch(line -> line.contains("-x"))
                    .anyMatch(line -> line.contains("num.partitions"))
                    .anyMatch(line -> line.contains("no.such"));
        }
        assertThat(tls).doesNotExist();
        assertThat(data).doesNotExist();
    }

    @Test
    void keysThatMeanNothingHereAreOneLine() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(
                scratch,
                ANY_PORT,
                "--log.dirs=" + scratch.resolve("a"),
                "--process.roles=broker",
                "--offsets.topic.replication.factor=3")) {
            broker.awaitReady("PLAINTEXT");
            assertThat(broker.err().lines())
                    .filteredOn(line -> line.contains("are ignored"))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("[offsets.topic.replication.factor, process.roles]"));
        }
    }

    @Test
    void aPortInUseIsOneLineAndExitCodeOne() throws Exception {
        try (EmbeddedBroker other = EmbeddedBroker.builder().start()) {
            assertRefused(
                    1,
                    "cannot listen on PLAINTEXT://" + other.bootstrapServers(),
                    "--listeners=PLAINTEXT://" + other.bootstrapServers(),
                    "--log.dirs=" + scratch.resolve("a"));
        }
    }

    private void assertRefused(int exitCode, String reason, String... arguments) throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(scratch, arguments)) {
            assertThat(broker.awaitExit()).isEqualTo(exitCode);
            assertThat(broker.out()).isEmpty();
            assertThat(broker.err().lines())
                    .singleElement()
                    .satisfies(line ->
                            assertThat(line).startsWith("faultline-broker: ").contains(reason));
        }
    }

    @Test
    void helpAndVersionArePrinted() throws Exception {
        for (String option : new String[] {"--help", "--version"}) {
            try (BrokerProcess broker = BrokerProcess.start(scratch, option)) {
                assertThat(broker.awaitExit()).isZero();
                assertThat(broker.out()).contains("faultline-broker").doesNotContain("null");
                assertThat(broker.err()).isEmpty();
            }
        }
    }

    private static void deleteTree(Path root) throws IOException {
        try (Stream<Path> walk = Files.walk(root)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
