package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.tools.attach.VirtualMachine;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The broker as a process whose disk really fails, seen by those who watch brokers. */
class KafkaMBeansIT {

    private static final TopicPartition HEALTHY = new TopicPartition("t", 1);
    private static final String COUNT = "kafka.log:type=LogManager,name=OfflineLogDirectoryCount";

    /** Such rules as come with jmx_exporter for Kafka: what ends in PerSec is a counter, what has a Value a gauge, further keys are labels. */
    private static final String RULES = """
            lowercaseOutputName: true
            rules:
            - pattern: kafka.(\\w+)<type=(.+), name=(.+)PerSec\\w*><>Count
              name: kafka_$1_$2_$3_total
              type: COUNTER
            - pattern: kafka.(\\w+)<type=(.+), name=(.+), (.+)=(.+)><>Value
              name: kafka_$1_$2_$3
              type: GAUGE
              labels:
                "$4": "$5"
            - pattern: kafka.(\\w+)<type=(.+), name=(.+)><>Value
              name: kafka_$1_$2_$3
              type: GAUGE
            """;

    @TempDir
    Path scratch;

    @Test
    @NeedsFailingDisk
    void aDiskThatReallyFailsIsCountedOverJmx(FailingDisk disk) throws Exception {
        Path bad = disk.directory().resolve("data");
        try (BrokerProcess broker = start(List.of(), bad);
                JMXConnector connector = connect(broker.pid())) {
            MBeanServerConnection mbeans = connector.getMBeanServerConnection();
            String bootstrap = broker.awaitReady("PLAINTEXT");
            produceToBoth(bootstrap);
            assertThat(value(mbeans, COUNT)).isEqualTo(0L);

            fail(disk, bad, bootstrap);

            assertThat(value(mbeans, COUNT)).isEqualTo(1L);
            assertThat(value(mbeans, "kafka.log:type=LogManager,name=LogDirectoryOffline,logDirectory=\"" + bad + "\""))
                    .isEqualTo(1L);
            assertThat(value(mbeans, "kafka.server:type=ReplicaManager,name=OfflineReplicaCount"))
                    .isEqualTo(1L);
            assertThat(mbeans.getAttribute(
                            new ObjectName("kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec"), "Count"))
                    .isEqualTo(20L);
        }
    }

    @Test
    @NeedsFailingDisk
    void ordinaryRulesOfJmxExporterSeeTheSame(FailingDisk disk) throws Exception {
        Path bad = disk.directory().resolve("data");
        Path rules = Files.writeString(scratch.resolve("kafka.yaml"), RULES);
        int port = freePort();
        String agent = "-javaagent:" + System.getProperty("jmx.exporter") + "=127.0.0.1:" + port + ":" + rules;
        try (BrokerProcess broker = start(List.of(agent), bad)) {
            String bootstrap = broker.awaitReady("PLAINTEXT");
            produceToBoth(bootstrap);
            await().untilAsserted(() ->
                    assertThat(scrape(port)).contains("\nkafka_log_logmanager_offlinelogdirectorycount 0.0"));

            fail(disk, bad, bootstrap);

            assertThat(scrape(port))
                    .contains("\nkafka_log_logmanager_offlinelogdirectorycount 1.0")
                    .contains("\nkafka_server_replicamanager_offlinereplicacount 1.0")
                    .contains("\nkafka_controller_kafkacontroller_offlinepartitionscount 1.0")
                    .contains("\nkafka_server_brokertopicmetrics_messagesin_total 20.0")
                    .containsPattern(
                            "\nkafka_log_logmanager_logdirectoryoffline\\{logDirectory=\"\\S*" + bad + "\\S*\"} 1.0");
        }
    }

    private BrokerProcess start(List<String> jvmOptions, Path bad) throws IOException {
        return BrokerProcess.start(
                scratch,
                jvmOptions,
                "--listeners=PLAINTEXT://127.0.0.1:0",
                "--num.partitions=2",
                "--log.dirs=" + bad + "," + scratch.resolve("good"));
    }

    private static void produceToBoth(String bootstrap) throws Exception {
        Clients.plaintext(bootstrap).produce(new TopicPartition("t", 0), 10, 100);
        Clients.plaintext(bootstrap).produce(HEALTHY, 10, 100);
    }

    /** The next append to the partition on the bad disk reads the last block, and fails. */
    private static void fail(FailingDisk disk, Path bad, String bootstrap) throws Exception {
        disk.poison(bad.resolve("t-0/00000000000000000000.log"), 0, 1);
        try (RawClient client = new RawClient(bootstrap)) {
            client.send(ApiKeys.PRODUCE, Requests.PRODUCE_BY_NAME, Requests.produce("t", "value"));
            client.receiveSize();
        }
    }

    private static JMXConnector connect(long pid) throws Exception {
        VirtualMachine process = VirtualMachine.attach(Long.toString(pid));
        try {
            return JMXConnectorFactory.connect(new JMXServiceURL(process.startLocalManagementAgent()));
        } finally {
            process.detach();
        }
    }

    /** They are registered after the broker is ready. */
    private static Object value(MBeanServerConnection mbeans, String name) throws Exception {
        ObjectName object = new ObjectName(name);
        await().until(() -> mbeans.isRegistered(object));
        return mbeans.getAttribute(object, "Value");
    }

    private static String scrape(int port) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    /** Below those that the system gives to connections that go out, which could take one before the exporter does. */
    private static int freePort() {
        return new Random()
                .ints(20_000, 32_000)
                .filter(KafkaMBeansIT::isFree)
                .findFirst()
                .orElseThrow();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
