package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Everything by which the files of a healthy broker change under its transfers: truncation after a change of leader, deletion of old segments, restarts; while consumers are
 * killed in the middle of their fetches. Nothing of it may take a directory offline.
 *
 * <p>A cycle: the followers of a broker's partitions are frozen, so that what it takes with acks=1 is its own alone; then it is frozen and they go on; they elect another
 * leader; it goes on, and has to truncate; it gets its leadership back. Every few cycles it is restarted.
 */
@Command(
        name = "kafka-truncation",
        description = {
            "truncations, deleted segments, restarts and killed consumers on healthy disks take nothing offline",
            "Counted are truncations, failed transfers that were checked, and verdicts.",
            "It holds if there are enough of the first two, no disk is judged to have failed, no directory is offline, every failed transfer is accounted for, and the agent has no errors of its own."
        },
        mixinStandardHelpOptions = true)
public final class KafkaTruncation extends Experiment {

    private static final int BROKERS = 3;
    private static final int CYCLES_BETWEEN_RESTARTS = 4;
    private static final Duration DIVERGE = Duration.ofMillis(1_000);
    private static final double TRUNCATIONS_PER_MINUTE = 2;
    private static final double CHECKS_PER_MINUTE = 5;

    @Mixin
    private KafkaOptions kafka;

    @Option(names = "--minutes", defaultValue = "20", description = "How long it goes on; ${DEFAULT-VALUE} by default.")
    private double minutes;

    /** Made by the command line. */
    public KafkaTruncation() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        kafka.describe(report);
        report.fact("minutes", minutes);
        ClusterBuilder builder = KafkaCluster.of(layout, kafka.version())
                .java(kafka.java(layout))
                .keepLogs(kafka.logs())
                .agent("mode=act")
                // A frozen broker is noticed soon.
                .property("broker.session.timeout.ms", "3000")
                .property("broker.heartbeat.interval.ms", "500")
                .property("zookeeper.session.timeout.ms", "3000")
                .property("replica.lag.time.max.ms", "10000")
                .property("replica.fetch.wait.max.ms", "100")
                // Segments come and go.
                .property("log.segment.bytes", Integer.toString(4 << 20))
                .property("log.retention.bytes", Integer.toString(24 << 20))
                .property("log.retention.check.interval.ms", "3000")
                .property("log.segment.delete.delay.ms", "500");
        try (KafkaCluster cluster = builder.start();
                ClusterAdmin admin = cluster.impatientAdmin()) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (int id = 1; id <= BROKERS; id++) {
                for (String name : List.of("a", "b")) {
                    partitions.add(admin.create(name + id, replicasLedBy(id), Map.of()));
                }
            }
            report.say(
                    "Kafka %s, %d brokers with the agent, %d partitions", kafka.version(), BROKERS, partitions.size());
            List<BrokerTally> tallies = new ArrayList<>();
            for (KafkaNode broker : cluster.brokers()) {
                tallies.add(new BrokerTally(broker));
            }
            try (RestlessLoad load = RestlessLoad.on(cluster, partitions)) {
                long deadline = System.nanoTime() + (long) (minutes * TimeUnit.MINUTES.toNanos(1));
                int cycles = 0;
                while (System.nanoTime() < deadline) {
                    Cycle cycle = new Cycle(cluster, admin, partitions, cycles % BROKERS + 1);
                    cycle.divergeAndTruncate();
                    if (cycles % CYCLES_BETWEEN_RESTARTS == CYCLES_BETWEEN_RESTARTS - 1) {
                        tallies.get(cycles % BROKERS).beforeRestart();
                        cycle.restart(cycles / CYCLES_BETWEEN_RESTARTS % 2 == 0);
                    }
                    cycle.giveBackLeadership();
                    cycles++;
                    report.say(
                            "%d cycles: %d truncations, %,d consumers killed in the middle of a fetch",
                            cycles,
                            tallies.stream().mapToLong(BrokerTally::truncations).sum(),
                            load.vanished());
                }
                report.fact("cycles", cycles);
                report.fact("consumers killed", load.vanished());
            }
            judge(report, admin, tallies);
        }
    }

    private static List<Integer> replicasLedBy(int leader) {
        List<Integer> replicas = new ArrayList<>(List.of(leader));
        for (int id = 1; id <= BROKERS; id++) {
            if (id != leader) {
                replicas.add(id);
            }
        }
        return replicas;
    }

    private void judge(Report report, ClusterAdmin admin, List<BrokerTally> tallies) throws Exception {
        List<Object> offline = new ArrayList<>();
        for (BrokerTally tally : tallies) {
            tally.end();
            offline.add((long) admin.offline(tallies.indexOf(tally) + 1).size());
        }
        Table table = new Table(tallies.stream().map(BrokerTally::name).toList());
        table.row("truncations", tallies.stream().map(BrokerTally::truncations).toList());
        table.row(
                "segments deleted",
                tallies.stream().map(BrokerTally::deletedSegments).toList());
        table.row("restarts", tallies.stream().map(BrokerTally::restarts).toList());
        for (String count : List.of(
                "handed-over",
                "verdicts",
                "verdicts.SOCKET",
                "verdicts.INCONCLUSIVE",
                "verdicts.DISK",
                "dropped",
                "expired",
                "skipped",
                "ends-of-file.tls",
                "errors")) {
            table.row(count, tallies.stream().map(tally -> tally.count(count)).toList());
        }
        table.row("directories offline", offline);
        report.table("Healthy disks", table);
        long truncations = tallies.stream().mapToLong(BrokerTally::truncations).sum();
        long checked =
                tallies.stream().mapToLong(tally -> tally.count("verdicts")).sum();
        report.claim(
                truncations >= TRUNCATIONS_PER_MINUTE * minutes,
                "at least " + TRUNCATIONS_PER_MINUTE + " truncations a minute: " + truncations);
        report.claim(
                checked >= CHECKS_PER_MINUTE * minutes,
                "at least " + CHECKS_PER_MINUTE + " failed transfers a minute are checked: " + checked);
        for (BrokerTally tally : tallies) {
            report.claim(tally.count("verdicts.DISK") == 0, tally.name() + ": no disk is judged to have failed");
            report.claim(tally.balanced(), tally.name() + ": every failed transfer is accounted for");
            report.claim(tally.count("errors") == 0, tally.name() + ": the agent has no errors of its own");
        }
        report.claim(offline.stream().allMatch(each -> each.equals(0L)), "no directory is offline: " + offline);
    }

    /** One cycle against one broker. */
    private record Cycle(KafkaCluster cluster, ClusterAdmin admin, List<TopicPartition> partitions, int leader) {

        void divergeAndTruncate() throws IOException, InterruptedException {
            List<KafkaNode> followers = cluster.brokers().stream()
                    .filter(broker -> broker != cluster.broker(leader))
                    .toList();
            for (KafkaNode follower : followers) {
                follower.process().freeze();
            }
            TimeUnit.NANOSECONDS.sleep(DIVERGE.toNanos());
            cluster.broker(leader).process().freeze();
            for (KafkaNode follower : followers) {
                follower.process().thaw();
            }
            ClusterAdmin.await(
                    "others lead what broker " + leader + " led",
                    () -> admin.leaders(partitions).values().stream().noneMatch(each -> each == leader || each < 0));
            cluster.broker(leader).process().thaw();
            awaitInSync();
        }

        void restart(boolean killed) throws IOException, InterruptedException {
            KafkaNode broker = cluster.broker(leader);
            if (killed) {
                broker.process().kill();
            } else {
                broker.close();
            }
            broker.start();
            cluster.awaitAllBrokers();
            awaitInSync();
        }

        void giveBackLeadership() throws IOException, InterruptedException {
            ClusterAdmin.await("each partition is led by the first of its replicas", () -> {
                admin.electPreferred(Set.copyOf(partitions));
                return true;
            });
        }

        private void awaitInSync() throws IOException, InterruptedException {
            ClusterAdmin.await("all replicas are in sync", () -> admin.leastInSync(partitions) == BROKERS);
        }
    }
}
