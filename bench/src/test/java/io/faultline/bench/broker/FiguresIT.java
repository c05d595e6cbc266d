package io.faultline.bench.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.client.LogDirs;
import io.faultline.bench.client.Records;
import io.faultline.bench.host.FreePorts;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators are shown of a broker whose disk fails: the same figures, whichever way they look. */
@NeedsFailingDisk
class FiguresIT {

    private static final int RECORDS = 5_000;
    private static final int NODE = 1;
    private static final long DISK_SIZE = 400L << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration OF_A_CONSUMER = Duration.ofSeconds(6);

    /** In the manner of the rules that jmx_exporter brings for Kafka: by type, name and up to two further keys; anything else is left out. */
    private static final String RULES = """
            lowercaseOutputName: true
            rules:
            - pattern: kafka.(\\w+)<type=(.+), name=(.+), (.+)=(.+), (.+)=(.+)><>Value
              name: kafka_$1_$2_$3
              type: GAUGE
              labels:
                "$4": "$5"
                "$6": "$7"
            - pattern: kafka.(\\w+)<type=(.+), name=(.+), (.+)=(.+)><>Value
              name: kafka_$1_$2_$3
              type: GAUGE
              labels:
                "$4": "$5"
            - pattern: kafka.(\\w+)<type=(.+), name=(.+)><>Value
              name: kafka_$1_$2_$3
              type: GAUGE
            - pattern: kafka.(\\w+)<type=(.+), name=(.+), (.+)=(.+), (.+)=(.+)><>Count
              name: kafka_$1_$2_$3_count
              type: COUNTER
              labels:
                "$4": "$5"
                "$6": "$7"
            - pattern: kafka.(\\w+)<type=(.+), name=(.+), (.+)=(.+)><>Count
              name: kafka_$1_$2_$3_count
              type: COUNTER
              labels:
                "$4": "$5"
            - pattern: kafka.(\\w+)<type=(.+), name=(.+)><>Count
              name: kafka_$1_$2_$3_count
              type: COUNTER
            """;

    @TempDir
    private Path folder;

    private final Layout layout = Layout.ofThisBuild();
    private final HttpClient http = HttpClient.newHttpClient();
    private Admin admin;

    @Test
    void thePageJmxExporterOtlpAndTheFlightRecorderTellTheSame() throws Exception {
        Path rules = Files.writeString(folder.resolve("jmx.yaml"), RULES);
        Path settings = folder.resolve("faultline.jfc");
        assertThat(new ProcessBuilder(
                                layout.java().toString(), "-jar", layout.agent().toString(), "jfc")
                        .redirectOutput(settings.toFile())
                        .start()
                        .waitFor())
                .isZero();
        Path recording = folder.resolve("broker.jfr");
        int scraped = FreePorts.next();
        Path failing;
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE);
                OtlpCollector collector = new OtlpCollector()) {
            failing = Files.createDirectory(disk.directory().resolve("logs"));
            List<String> jvm = List.of(
                    "-XX:StartFlightRecording=settings=" + settings + ",filename=" + recording + ",dumponexit=true",
                    "-javaagent:" + layout.agent() + "=mode=act,metrics.port=0,otlp.interval=1s,otlp.url="
                            + collector.url(),
                    "-javaagent:" + layout.jmxExporter() + "=127.0.0.1:" + scraped + ":" + rules);
            Path healthy = Files.createDirectory(folder.resolve("healthy"));
            try (BrokerProcess broker = BrokerProcess.start(layout, jvm, folder.resolve("tls"), healthy, failing)) {
                long page = broker.agent().counts().get("metrics.bound");
                fail(broker, disk, List.of(failing), client(broker));
                broker.awaitLine("the directory is taken offline, ");

                String dir = "dir=\"" + failing + "\"";
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(samples(page))
                                .containsEntry("faultline_directory_offline{by=\"faultline\"," + dir + "}", 1.0)
                                .containsEntry("faultline_directory_offline{by=\"owner\"," + dir + "}", 0.0)
                                .containsEntry("faultline_actions_total{" + dir + ",result=\"fed\"}", 1.0));
                Map<String, Double> onPage = samples(page);
                double verdicts =
                        onPage.get("faultline_verdicts_total{" + dir + ",reason=\"read_failed\",verdict=\"disk\"}");
                double failures = onPage.get("faultline_failures_total{hint=\"media_error\",transport=\"socket\"}");
                assertThat(verdicts).isPositive();
                assertThat(failures).isGreaterThanOrEqualTo(verdicts);

                String beans = "kafka_faultline_faultline_";
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(samples(scraped))
                                .containsEntry(beans + "directoryoffline{by=\"faultline\"," + dir + "}", 1.0)
                                .containsEntry(beans + "directoryoffline{by=\"owner\"," + dir + "}", 0.0)
                                .containsEntry(beans + "actions_count_total{" + dir + ",result=\"fed\"}", 1.0)
                                .containsEntry(
                                        beans + "verdicts_count_total{" + dir + ",reason_verdict=\"read_failed-disk\"}",
                                        verdicts)
                                .containsEntry(
                                        beans + "failures_count_total{hint=\"media_error\",transport=\"socket\"}",
                                        failures));

                String path = failing.toString();
                await().atMost(PATIENCE).untilAsserted(() -> {
                    assertThat(collector.value("faultline.directory.offline", Map.of("dir", path, "by", "faultline")))
                            .hasValue(1.0);
                    assertThat(collector.value("faultline.actions", Map.of("dir", path, "result", "fed")))
                            .hasValue(1.0);
                    assertThat(collector.value(
                                    "faultline.verdicts",
                                    Map.of("dir", path, "verdict", "disk", "reason", "read_failed")))
                            .hasValue(verdicts);
                    assertThat(collector.value(
                                    "faultline.failures", Map.of("transport", "socket", "hint", "media_error")))
                            .hasValue(failures);
                });
            }
        }
        Map<String, List<RecordedEvent>> events = events(recording);
        assertThat(events.get("io.faultline.DirectoryOffline")).singleElement().satisfies(event -> {
            assertThat(event.getString("directory")).isEqualTo(failing.toString());
            assertThat(event.getString("by")).isEqualTo("faultline");
        });
        assertThat(events.get("io.faultline.Verdict"))
                .filteredOn(event -> event.getString("action").equals("fed"))
                .singleElement()
                .satisfies(event -> assertThat(event.getString("verdict")).isEqualTo("disk"));
        assertThat(events.get("io.faultline.Check"))
                .anySatisfy(event -> assertThat(event.getString("outcome")).isEqualTo("failed"));
        assertThat(events.get("io.faultline.FailedTransfer"))
                .as("on the stack of the broker's network thread")
                .anySatisfy(event -> assertThat(event.getStackTrace().getFrames())
                        .anyMatch(frame ->
                                frame.getMethod().getType().getName().startsWith("org.apache.kafka.common.network.")));
    }

    @Test
    void staleTlsBytesThatWereHeldBackAreCountedInTheirDirectory() throws Exception {
        Path healthy = Files.createDirectory(folder.resolve("healthy"));
        Path tls = folder.resolve("tls");
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE)) {
            Path failing = Files.createDirectory(disk.directory().resolve("logs"));
            try (BrokerProcess broker = BrokerProcess.start(layout, "mode=act,metrics.port=0", tls, healthy, failing)) {
                long page = broker.agent().counts().get("metrics.bound");
                Properties client = new Properties();
                try (Reader generated = Files.newBufferedReader(tls.resolve("client.properties"))) {
                    client.load(generated);
                }
                client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.address("SSL"));
                fail(broker, disk, List.of(failing), client);

                long prevented = broker.agent().counts().get("stale-prevented.tls");
                assertThat(prevented).isPositive();
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(samples(page))
                                .containsEntry("faultline_stale_tls_prevented_total{dir=\"" + failing + "\"}", (double)
                                        prevented)
                                .containsEntry("faultline_stale_tls_prevented_total{dir=\"" + healthy + "\"}", 0.0)
                                .containsEntry("faultline_stale_tls_prevented_total{dir=\"\"}", 0.0));
            }
        }
    }

    @Test
    void whenStorageThatFourDirectoriesShareFailsOneGoesOfflineAndThreeAreLimited() throws Exception {
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE)) {
            List<Path> shared = new ArrayList<>();
            for (String name : List.of("a", "b", "c", "d")) {
                shared.add(Files.createDirectory(disk.directory().resolve(name)));
            }
            try (BrokerProcess broker = BrokerProcess.start(
                    layout, "mode=act,metrics.port=0", folder.resolve("tls"), shared.toArray(Path[]::new))) {
                long page = broker.agent().counts().get("metrics.bound");
                fail(broker, disk, shared, client(broker));

                await().atMost(PATIENCE).untilAsserted(() -> {
                    Map<String, Double> samples = samples(page);
                    assertThat(directoriesWith(samples, "fed")).hasSize(1);
                    assertThat(directoriesWith(samples, "limited")).hasSize(3);
                });
                assertThat(LogDirs.offline(admin(broker), NODE)).hasSize(1);
            }
        }
    }

    private Admin admin(BrokerProcess broker) {
        if (admin == null) {
            admin = Admin.create(client(broker));
        }
        return admin;
    }

    @AfterEach
    void closeAdmin() {
        if (admin != null) {
            admin.close();
        }
    }

    private static Properties client(BrokerProcess broker) {
        Properties client = new Properties();
        client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.address("PLAINTEXT"));
        return client;
    }

    /** Makes half of a segment in each directory unreadable, and has somebody ask for it. */
    private void fail(BrokerProcess broker, FailingDisk disk, List<Path> directories, Properties client)
            throws Exception {
        // The broker puts new partitions where there are fewest.
        admin(broker)
                .createTopics(List.of(new NewTopic("figures", 4, (short) 1)))
                .all()
                .get();
        Map<String, TopicPartition> placed = LogDirs.placement(admin(broker), NODE);
        for (Path directory : directories) {
            TopicPartition partition = placed.get(directory.toString());
            Records.produce(broker.address("PLAINTEXT"), "1", RECORDS, partition);
            Path segment = directory.resolve(partition.toString()).resolve("00000000000000000000.log");
            long from = Files.size(segment) / 2;
            disk.poison(segment, from, Files.size(segment) - from);
        }
        for (Path directory : directories) {
            Consumed.of(client, placed.get(directory.toString()), RECORDS, OF_A_CONSUMER);
        }
    }

    private static Set<String> directoriesWith(Map<String, Double> samples, String result) {
        Map<String, Double> found = new HashMap<>(samples);
        found.keySet()
                .removeIf(name ->
                        !name.startsWith("faultline_actions_total{") || !name.contains("result=\"" + result + "\""));
        found.values().removeIf(value -> value == 0);
        return found.keySet();
    }

    private Map<String, Double> samples(long port) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .build();
        Map<String, Double> samples = new HashMap<>();
        http.send(request, HttpResponse.BodyHandlers.ofString()).body().lines().forEach(line -> {
            if (line.contains("faultline_") && !line.startsWith("#")) {
                int space = line.lastIndexOf(' ');
                samples.put(line.substring(0, space).replace(",}", "}"), Double.valueOf(line.substring(space + 1)));
            }
        });
        return samples;
    }

    private static Map<String, List<RecordedEvent>> events(Path recording) throws IOException {
        Map<String, List<RecordedEvent>> events = new HashMap<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
            events.computeIfAbsent(event.getEventType().getName(), name -> new ArrayList<>())
                    .add(event);
        }
        return events;
    }
}
