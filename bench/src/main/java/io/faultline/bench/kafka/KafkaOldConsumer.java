package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Kcat;
import io.faultline.bench.client.Records;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.disk.FailingDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A consumer so old that a broker, up to 3.9, converts records down for it: they are read on the network thread, with no transfer that could fail. */
@Command(
        name = "kafka-old-consumer",
        description = {
            "a disk fails under a broker that converts records down for a consumer of 0.9 (kcat)",
            "It holds if, without the agent, the directory stays online; with it, the reads that fail outside of transfers take it offline; and the consumer gets no wrong record."
        },
        mixinStandardHelpOptions = true)
public final class KafkaOldConsumer extends Experiment {

    private static final int BROKER = 1;
    private static final int RECORDS = 10_000;
    private static final long DISK_SIZE = 400L << 20;
    private static final Duration UNTIL_OFFLINE = Duration.ofSeconds(10);
    private static final List<String> OLD = List.of("api.version.request=false", "broker.version.fallback=0.9.0.1");

    @Option(
            names = "--kafka",
            paramLabel = "VERSION",
            defaultValue = "3.9.1",
            description = "The release of Kafka; ${DEFAULT-VALUE} by default. No later one converts.")
    private String version;

    @Mixin
    private NodeOptions nodes;

    /** Made by the command line. */
    public KafkaOldConsumer() {}

    /**
     * What came of it.
     *
     * @param withAgent whether the agent was there
     * @param plainFailures failed reads that were no transfers, as the agent counted them; -1 without it
     * @param offline whether the directory is offline
     * @param received what the consumer got
     */
    private record Outcome(boolean withAgent, long plainFailures, boolean offline, Kcat.Received received) {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        NodeOptions.requireFailingDisk();
        if (!Kcat.isInstalled()) {
            throw new IllegalStateException("an old consumer needs kcat");
        }
        report.fact("kafka", version);
        nodes.describe(report);
        List<Outcome> outcomes = new ArrayList<>();
        for (boolean withAgent : List.of(false, true)) {
            outcomes.add(play(layout, report, withAgent));
        }
        Outcome base = outcomes.get(0);
        Outcome agent = outcomes.get(1);
        report.table(
                "Kafka " + version + ", a consumer of 0.9, a disk fails",
                new Table(List.of("base", "agent"))
                        .row("failed reads that were no transfers", List.of("-", agent.plainFailures()))
                        .row("directory", List.of(state(base), state(agent)))
                        .row(
                                "records consumed, of " + RECORDS,
                                List.of(
                                        base.received().right(),
                                        agent.received().right()))
                        .row(
                                "wrong records",
                                List.of(
                                        base.received().wrong(),
                                        agent.received().wrong())));
        report.claim(!base.offline(), "without the agent the directory stays online");
        report.claim(agent.offline(), "with the agent the directory goes offline");
        report.claim(agent.plainFailures() > 0, "the reads that failed were no transfers");
        for (Outcome outcome : outcomes) {
            report.claim(
                    outcome.received().right() > 0
                            && outcome.received().right() < RECORDS
                            && outcome.received().wrong() == 0,
                    "the consumer gets right records, but not all: " + outcome);
        }
    }

    private static String state(Outcome outcome) {
        return outcome.offline() ? "offline" : "online";
    }

    private Outcome play(Layout layout, Report report, boolean withAgent) throws Exception {
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE);
                TemporaryFolder healthy = TemporaryFolder.named("faultline-old")) {
            Path failing = Files.createDirectory(disk.directory().resolve("logs"));
            ClusterBuilder builder = KafkaCluster.of(layout, KafkaVersion.of(version))
                    .java(nodes.java(layout))
                    .keepLogs(nodes.logs())
                    .brokers(1)
                    .logDirs(BROKER, healthy.path().toString(), failing.toString());
            if (withAgent) {
                builder.agent("mode=act");
            }
            try (KafkaCluster cluster = builder.start();
                    ClusterAdmin admin = cluster.admin()) {
                TopicPartition partition = admin.create("old", List.of(BROKER), Map.of());
                admin.place(partition, BROKER, failing.toString());
                Records.produce(cluster.bootstrap(), "all", RECORDS, partition);
                Path segment = failing.resolve(partition.toString()).resolve("00000000000000000000.log");
                long from = Files.size(segment) / 2;
                disk.poison(segment, from, Files.size(segment) - from);
                Kcat.Received received = Kcat.consume(cluster.address(BROKER), partition, RECORDS, OLD);
                boolean offline = ClusterAdmin.holdsAtLast(
                        UNTIL_OFFLINE, () -> admin.offline(BROKER).contains(failing.toString()));
                long plainFailures =
                        withAgent ? cluster.broker(BROKER).agent().counts().get("failures.plain") : -1;
                Outcome outcome = new Outcome(withAgent, plainFailures, offline, received);
                report.say("%s", outcome);
                return outcome;
            }
        }
    }
}
