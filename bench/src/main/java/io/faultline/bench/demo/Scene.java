package io.faultline.bench.demo;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.BrokerProcess;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.client.LogDirs;
import io.faultline.bench.client.Records;
import io.faultline.bench.client.VanishingClient;
import io.faultline.bench.host.AgentCounts;
import io.faultline.bench.host.Trees;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/** One broker, from its start to the end of its failing disk. */
final class Scene {

    /** So many sends have to fail because their client vanished, before the disk fails. */
    static final int ENOUGH_FAILED_SENDS = 100;

    private static final int RECORDS_EACH = 10_000;
    private static final int MOST_VANISHING_CLIENTS = 2_000;
    private static final int CLIENTS_BETWEEN_LOOKS = 60;
    static final int NODE = 1;
    private static final String TOPIC = "demo";
    private static final Duration PATIENCE = Duration.ofSeconds(6);
    private static final Pattern MILLIS = Pattern.compile("taken offline, (\\d+) ms after");

    /**
     * What came of it.
     *
     * @param listener PLAINTEXT or SSL
     * @param withAgent whether the agent was there
     * @param observed whether there was an agent to ask, if only one that observes
     * @param failedSends transfers that failed, as the hook counted them
     * @param socketVerdicts verdicts that the client went
     * @param diskVerdicts verdicts that the disk failed
     * @param staleHeldBack buffers of bytes already sent that were emptied before they could be sent again
     * @param offlineBeforeTheDiskFailed directories taken offline while only clients vanished
     * @param failingOffline whether the failing directory went offline
     * @param healthyOffline whether the healthy one did
     * @param millisToOffline from the first failed read until the directory was taken offline, -1 for never
     * @param ofFailing what the consumer of the failing directory got
     * @param ofHealthy what the consumer of the healthy directory got
     * @param accountsBalance whether every failure that was handed over is accounted for
     */
    record Outcome(
            String listener,
            boolean withAgent,
            boolean observed,
            long failedSends,
            long socketVerdicts,
            long diskVerdicts,
            long staleHeldBack,
            long offlineBeforeTheDiskFailed,
            boolean failingOffline,
            boolean healthyOffline,
            long millisToOffline,
            Consumed ofFailing,
            Consumed ofHealthy,
            boolean accountsBalance) {}

    private final Layout layout;
    private final PrintStream out;
    private final Path tls;
    private final String listener;
    private final boolean withAgent;
    private final boolean rehearsed;

    Scene(Layout layout, PrintStream out, Path tls, String listener, boolean withAgent, boolean rehearsed) {
        this.layout = layout;
        this.out = out;
        this.tls = tls;
        this.listener = listener;
        this.withAgent = withAgent;
        this.rehearsed = rehearsed;
    }

    Outcome play() throws Exception {
        Path healthy = Files.createTempDirectory("faultline-demo-healthy");
        try (FailingDirectory failing = FailingDirectory.make(rehearsed)) {
            say("the directory that will fail: " + failing.description());
            Path failingLogs = Files.createDirectory(failing.directory().resolve("logs"));
            String agent = withAgent ? "mode=act" : null;
            if (failing.isRehearsed()) {
                // Only an agent can rehearse; without one it stands by and observes.
                agent = withAgent ? "mode=act,rehearse=on" : "mode=observe,rehearse=on";
            }
            try (BrokerProcess broker = BrokerProcess.start(layout, agent, tls, healthy, failingLogs)) {
                return play(broker, failing, healthy, failingLogs);
            }
        } finally {
            Trees.delete(healthy);
        }
    }

    private Outcome play(BrokerProcess broker, FailingDirectory failing, Path healthy, Path failingLogs)
            throws Exception {
        boolean canAsk = withAgent || failing.isRehearsed();
        Properties plaintext = new Properties();
        plaintext.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.address("PLAINTEXT"));
        try (Admin admin = Admin.create(plaintext)) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 2, (short) 1))).all().get();
            Map<String, TopicPartition> placed = LogDirs.placement(admin, NODE);
            TopicPartition ofHealthy = placed.get(healthy.toString());
            TopicPartition ofFailing = placed.get(failingLogs.toString());
            Records.produce(broker.address("PLAINTEXT"), "1", RECORDS_EACH, ofHealthy, ofFailing);
            say("%,d records of 1 kB produced, half of them to each of two log directories", 2 * RECORDS_EACH);

            long offlineBefore = 0;
            if (withAgent && listener.equals("PLAINTEXT")) {
                letClientsVanish(broker, ofHealthy, ofFailing);
                offlineBefore = LogDirs.offline(admin, NODE).size();
                say("directories taken offline by that: %d", offlineBefore);
            }

            Path segment = failingLogs.resolve(ofFailing.toString()).resolve("00000000000000000000.log");
            long from = Files.size(segment) / 4 / 4096 * 4096;
            failing.fail(broker, segment, from);
            say(
                    "the disk fails: %s is unreadable from %,d of %,d bytes on",
                    segment.getFileName(), from, Files.size(segment));

            Properties client = client(broker);
            Consumed gotOfFailing = Consumed.of(client, ofFailing, RECORDS_EACH, PATIENCE);
            Set<String> offline = LogDirs.offline(admin, NODE);
            boolean failingOffline = offline.contains(failingLogs.toString());
            say("consumer of the failing directory: %s", inWords(gotOfFailing, failingOffline));
            Consumed gotOfHealthy = Consumed.of(client, ofHealthy, RECORDS_EACH, PATIENCE);
            say("consumer of the healthy directory: %s", inWords(gotOfHealthy, false));
            long millis = -1;
            if (failingOffline) {
                broker.awaitLine("is offline"); // the broker's own word for it
                millis = millisToOffline(broker.awaitLine("the directory is taken offline, "));
            }
            say(failingOffline ? "the failing directory is offline" : "the failing directory is still online");

            AgentCounts counts = canAsk ? broker.agent().counts() : new AgentCounts(Map.of());
            return new Outcome(
                    listener,
                    withAgent,
                    canAsk,
                    counts.sum("failures."),
                    counts.sum("verdicts.SOCKET"),
                    counts.sum("verdicts.DISK"),
                    counts.get("stale-prevented.tls"),
                    offlineBefore,
                    failingOffline,
                    offline.contains(healthy.toString()),
                    millis,
                    gotOfFailing,
                    gotOfHealthy,
                    counts.balance());
        }
    }

    private void letClientsVanish(BrokerProcess broker, TopicPartition... partitions)
            throws IOException, InterruptedException {
        long failed = 0;
        int clients = 0;
        while (failed < ENOUGH_FAILED_SENDS && clients < MOST_VANISHING_CLIENTS) {
            for (int client = 0; client < CLIENTS_BETWEEN_LOOKS; client++) {
                VanishingClient.fetchAndVanish(broker.address("PLAINTEXT"), partitions[clients++ % partitions.length]);
            }
            AgentCounts counts = broker.agent().counts();
            failed = counts.get("failures.socket");
            say(
                    "%d clients vanished in the middle of a fetch: %d sends failed, verdicts so far: %d client, %d disk",
                    clients, failed, counts.sum("verdicts.SOCKET"), counts.sum("verdicts.DISK"));
        }
    }

    private Properties client(BrokerProcess broker) throws IOException {
        Properties client = new Properties();
        if (listener.equals("SSL")) {
            try (Reader generated = Files.newBufferedReader(tls.resolve("client.properties"))) {
                client.load(generated);
            }
        }
        client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.address(listener));
        return client;
    }

    private static long millisToOffline(String line) {
        Matcher matcher = MILLIS.matcher(line);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
    }

    private static String inWords(Consumed consumed, boolean told) {
        return switch (consumed.end()) {
            case COMPLETE -> String.format("all %,d records", consumed.records());
            case CORRUPT -> String.format("%,d records, then '%s'", consumed.records(), consumed.detail());
            case STALLED ->
                String.format(
                        "%,d of %,d records, then %s",
                        consumed.records(),
                        RECORDS_EACH,
                        told ? "a storage error: the partition has no leader" : "nothing, and nobody says why");
        };
    }

    private void say(String format, Object... arguments) {
        out.println("      " + String.format(format, arguments));
    }
}
