package io.faultline.bench.operation;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.BrokerProcess;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.client.LogDirs;
import io.faultline.bench.client.Records;
import io.faultline.bench.client.VanishingClient;
import io.faultline.bench.host.FreePorts;
import io.faultline.disk.FailingDisk;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/** The bundled broker with the agent and its pages, over a healthy directory and one whose disk can be made to fail. */
final class WatchedBroker implements AutoCloseable {

    static final int RECORDS = 3_000;

    private static final int NODE = 1;
    private static final long DISK_SIZE = 400L << 20;
    private static final Duration STALL = Duration.ofSeconds(2);

    private final HttpClient http = HttpClient.newHttpClient();
    private final FailingDisk disk;
    private final BrokerProcess broker;
    private final int port;
    private final Path failing;
    private final TopicPartition ofHealthy;
    private final TopicPartition ofFailing;

    private WatchedBroker(
            FailingDisk disk,
            BrokerProcess broker,
            int port,
            Path failing,
            TopicPartition ofHealthy,
            TopicPartition ofFailing) {
        this.disk = disk;
        this.broker = broker;
        this.port = port;
        this.failing = failing;
        this.ofHealthy = ofHealthy;
        this.ofFailing = ofFailing;
    }

    /** Starts one with records in both directories. */
    static WatchedBroker start(Path folder, String mode) throws Exception {
        Path healthy = Files.createDirectory(folder.resolve("healthy"));
        int port = FreePorts.next();
        FailingDisk disk = FailingDisk.btrfs(DISK_SIZE);
        BrokerProcess broker = null;
        try {
            Path failing = Files.createDirectory(disk.directory().resolve("logs"));
            broker = BrokerProcess.start(
                    Layout.ofThisBuild(),
                    "mode=" + mode + ",metrics.port=" + port,
                    folder.resolve("tls"),
                    healthy,
                    failing);
            try (Admin admin = Admin.create(client(broker))) {
                admin.createTopics(List.of(new NewTopic("watched", 2, (short) 1)))
                        .all()
                        .get();
                Map<String, TopicPartition> placed = LogDirs.placement(admin, NODE);
                TopicPartition ofHealthy = placed.get(healthy.toString());
                TopicPartition ofFailing = placed.get(failing.toString());
                Records.produce(broker.address("PLAINTEXT"), "1", RECORDS, ofHealthy, ofFailing);
                return new WatchedBroker(disk, broker, port, failing, ofHealthy, ofFailing);
            }
        } catch (Exception | Error failed) {
            if (broker != null) {
                broker.close();
            }
            disk.close();
            throw failed;
        }
    }

    /** Where the agent's pages are. */
    String address() {
        return "127.0.0.1:" + port;
    }

    Path failingDirectory() {
        return failing;
    }

    /** The file that cannot be read any more once {@link #failDisk} was called. */
    Path failingFile() {
        return failing.resolve(ofFailing.toString()).resolve("00000000000000000000.log");
    }

    /** Makes the second half of a segment unreadable, and has a consumer meet that. */
    void failDisk() throws IOException {
        long from = Files.size(failingFile()) / 2;
        disk.poison(failingFile(), from, Files.size(failingFile()) - from);
        Consumed.of(client(broker), ofFailing, RECORDS, STALL);
    }

    /** Has clients vanish in the middle of being sent to. */
    void loseClients(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            VanishingClient.fetchAndVanish(broker.address("PLAINTEXT"), ofHealthy);
        }
    }

    /** Asks the agent for a page. */
    String page(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + address() + path)).build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    @Override
    public void close() throws IOException {
        broker.close();
        disk.close();
    }

    private static Properties client(BrokerProcess broker) {
        Properties client = new Properties();
        client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.address("PLAINTEXT"));
        return client;
    }
}
