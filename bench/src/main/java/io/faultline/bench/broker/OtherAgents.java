package io.faultline.bench.broker;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.client.LogDirs;
import io.faultline.bench.client.Records;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.disk.DiskTools;
import io.faultline.disk.FailingDisk;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;

/** The agent beside the agents that brokers run with: in either order it tells the failing disk, and they do their work. */
@Command(
        name = "other-agents",
        description = {
            "a disk fails under the bundled broker with the OpenTelemetry agent or jmx_exporter beside, in either order",
            "It holds if, with each of them before ours and behind it, the failing directory and no other goes offline, the other agent does its work, and no wrong record is delivered."
        },
        mixinStandardHelpOptions = true)
public final class OtherAgents extends Experiment {

    private static final int RECORDS = 5_000;
    private static final int NODE = 1;
    private static final long DISK_SIZE = 400L << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(6);
    private static final Duration UNTIL_SCRAPED = Duration.ofSeconds(30);

    private final HttpClient http = HttpClient.newHttpClient();

    /** Made by the command line. */
    public OtherAgents() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        List<String> missing = DiskTools.missingForFailingDisk();
        if (!missing.isEmpty()) {
            throw new IllegalStateException("a disk that really fails needs " + String.join(", ", missing));
        }
        Table table = new Table(List.of("the other agent works", "verdict", "directory", "records", "wrong records"));
        String ours = "-javaagent:" + layout.agent() + "=mode=act";
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-agents")) {
            Path rules = folder.path().resolve("jmx.yaml");
            Files.writeString(rules, "rules:\n- pattern: \".*\"\n");
            for (boolean first : List.of(true, false)) {
                List<String> openTelemetry = List.of(
                        "-Dotel.traces.exporter=none",
                        "-Dotel.metrics.exporter=none",
                        "-Dotel.logs.exporter=none",
                        "-javaagent:" + layout.openTelemetryAgent());
                run(layout, report, table, folder, "OpenTelemetry", options(ours, first, openTelemetry), -1);
                int port = FreePorts.next();
                List<String> jmxExporter =
                        List.of("-javaagent:" + layout.jmxExporter() + "=127.0.0.1:" + port + ":" + rules);
                run(layout, report, table, folder, "jmx_exporter", options(ours, first, jmxExporter), port);
            }
        }
        report.table("The bundled broker with two agents", table);
    }

    private static List<String> options(String ours, boolean first, List<String> others) {
        List<String> options = new ArrayList<>(others);
        options.add(first ? 0 : options.size(), ours);
        return options;
    }

    private void run(
            Layout layout,
            Report report,
            Table table,
            TemporaryFolder folder,
            String other,
            List<String> options,
            int scrapePort)
            throws Exception {
        String order = options.get(0).contains(layout.agent().toString())
                ? "Faultline, then " + other
                : other + ", then Faultline";
        Path healthy = folder.make("healthy-" + order.replaceAll("\\W+", "-"));
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE)) {
            Path failing = Files.createDirectory(disk.directory().resolve("logs"));
            try (BrokerProcess broker =
                    BrokerProcess.start(layout, options, folder.path().resolve("tls"), healthy, failing)) {
                Properties client = new Properties();
                client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.address("PLAINTEXT"));
                try (Admin admin = Admin.create(client)) {
                    admin.createTopics(List.of(new NewTopic("agents", 2, (short) 1)))
                            .all()
                            .get();
                    Map<String, TopicPartition> placed = LogDirs.placement(admin, NODE);
                    TopicPartition ofFailing = placed.get(failing.toString());
                    Records.produce(broker.address("PLAINTEXT"), "1", RECORDS, ofFailing);
                    Path segment = failing.resolve(ofFailing.toString()).resolve("00000000000000000000.log");
                    long from = Files.size(segment) / 2;
                    disk.poison(segment, from, Files.size(segment) - from);
                    Consumed consumed = Consumed.of(client, ofFailing, RECORDS, PATIENCE);
                    String verdict = broker.awaitLine("the directory is taken offline, ");
                    boolean offline = LogDirs.offline(admin, NODE).equals(Set.of(failing.toString()));
                    boolean works = scrapePort < 0
                            ? broker.awaitLine("opentelemetry-javaagent - version")
                                    .contains("INFO")
                            : isScrapedWithOurs(scrapePort);
                    report.say("%s: %s", order, offline ? "offline" : "online");
                    table.row(
                            order,
                            List.of(
                                    works,
                                    verdict.contains("DISK (READ_FAILED") ? "DISK" : "-",
                                    offline ? "offline" : "online",
                                    consumed.records(),
                                    consumed.wrong()));
                    report.claim(works, order + ": the other agent works");
                    report.claim(offline, order + ": the failing directory, and no other, goes offline");
                    report.claim(consumed.wrong() == 0, order + ": no wrong record is delivered");
                }
            }
        }
    }

    /** Scrapes jmx_exporter until it shows our figures, which come over JMX. */
    private boolean isScrapedWithOurs(int port) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .build();
        long deadline = System.nanoTime() + UNTIL_SCRAPED.toNanos();
        while (System.nanoTime() < deadline) {
            HttpResponse<String> page = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (page.statusCode() == 200 && page.body().contains("kafka_faultline_")) {
                return true;
            }
        }
        return false;
    }
}
