package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.client.Records;
import io.faultline.bench.host.AgentCounts;
import io.faultline.bench.host.KernelTrace;
import io.faultline.bench.host.KernelTrace.FailedRead;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Report;
import io.faultline.disk.FailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;

/**
 * Two disks fail under the leader of a cluster of three: one holds the partition that is consumed over plaintext, the other the one that is consumed over TLS. A third
 * directory stays healthy.
 */
final class FailingDiskScene {

    static final int RECORDS = 20_000;
    static final int LEADER = 1;

    private static final long DISK_SIZE = 400L << 20;
    private static final List<Integer> REPLICAS = List.of(1, 2, 3);

    /** A leader that goes is replaced within seconds; a consumer that got nothing for so long has stalled. */
    private static final Duration PATIENCE_WITH_AGENT = Duration.ofSeconds(60);

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Two disks of one broker fail here; of itself the agent takes one directory of a JVM offline within an hour. */
    private static final String AGENT = "mode=act,act.max.directories=2";

    private static final Duration PATIENCE_AT_ATTACH = Duration.ofSeconds(60);
    private static final Pattern OFFLINE = Pattern.compile("^(\\S+) Faultline: .* taken offline, (\\d+) ms after");

    /** Whether and when the agent comes. */
    enum Agent {
        NONE,
        WITH_THE_JVM,
        ATTACHED
    }

    /**
     * What came of one disk.
     *
     * @param withAgent whether the agent was there
     * @param transport PLAINTEXT or TLS
     * @param sendfile failing calls of sendfile: at the kernel's boundary where strace is installed, else as the agent counted them, else -1
     * @param pread failing calls of pread64, likewise; at the kernel's boundary the agent's own re-reads are among them
     * @param offline whether the directory is offline
     * @param leader who leads the partition in the end
     * @param millisToOffline from the first failed read, -1 for never
     * @param millisToLeader from the first failed read until another broker led, -1 for never
     * @param consumed what the consumer got
     */
    record Outcome(
            boolean withAgent,
            String transport,
            long sendfile,
            long pread,
            boolean offline,
            int leader,
            long millisToOffline,
            long millisToLeader,
            Consumed consumed) {}

    /**
     * What came of one cluster.
     *
     * @param plaintext the disk that was read over plaintext
     * @param tls the disk that was read over TLS
     * @param healthy the load on the healthy directory
     * @param healthyOffline whether the healthy directory is offline
     * @param healthyLeader who leads the healthy partition in the end
     * @param accountsBalance whether the agent accounts for every failure; true without it
     */
    record Result(
            Outcome plaintext,
            Outcome tls,
            HealthyLoad.Result healthy,
            boolean healthyOffline,
            int healthyLeader,
            boolean accountsBalance) {}

    private final Layout layout;
    private final KafkaVersion version;
    private final Path java;
    private final Path logs;
    private final Report report;

    /**
     * Makes a scene.
     *
     * @param layout where the jars are
     * @param version which Kafka
     * @param java what runs it
     * @param logs where to keep what the nodes print, or null
     * @param report told of the progress
     */
    FailingDiskScene(Layout layout, KafkaVersion version, Path java, Path logs, Report report) {
        this.layout = layout;
        this.version = version;
        this.java = java;
        this.logs = logs;
        this.report = report;
    }

    Result play(Agent agent) throws Exception {
        String side = agent == Agent.NONE ? "base" : "agent";
        try (TemporaryFolder healthy = TemporaryFolder.named("faultline-healthy");
                FailingDisk diskOfPlaintext = FailingDisk.btrfs(DISK_SIZE);
                FailingDisk diskOfTls = FailingDisk.btrfs(DISK_SIZE)) {
            Path plaintext = Files.createDirectory(diskOfPlaintext.directory().resolve("logs"));
            Path tls = Files.createDirectory(diskOfTls.directory().resolve("logs"));
            ClusterBuilder builder = KafkaCluster.of(layout, version)
                    .java(java)
                    .logDirs(LEADER, healthy.path().toString(), plaintext.toString(), tls.toString())
                    .metadataLogDir(LEADER, healthy.path().toString())
                    .traced(LEADER);
            if (agent == Agent.WITH_THE_JVM) {
                builder.agent(AGENT);
            }
            if (logs != null) {
                builder.keepLogs(logs.resolve(version + "-" + side));
            }
            try (KafkaCluster cluster = builder.start();
                    ClusterAdmin admin = cluster.admin()) {
                report.say("%s: Kafka %s, 3 brokers are up", side, version);
                Disk ofPlaintext = new Disk("PLAINTEXT", diskOfPlaintext, plaintext, cluster.plaintextClient());
                Disk ofTls = new Disk("TLS", diskOfTls, tls, cluster.tlsClient());
                return new Play(cluster, admin, agent, side, healthy.path(), ofPlaintext, ofTls).run();
            }
        }
    }

    /** A disk, the log directory on it, and how its partition is consumed. */
    private record Disk(String transport, FailingDisk disk, Path directory, Properties client) {

        void fail(TopicPartition partition) throws IOException {
            Path segment = directory.resolve(partition.toString()).resolve("00000000000000000000.log");
            long size = Files.size(segment);
            long from = size / 4 / FailingDisk.BLOCK_SIZE * FailingDisk.BLOCK_SIZE;
            disk.poison(segment, from, size - from);
        }
    }

    /** One run, once the cluster is up. */
    private final class Play {

        private final KafkaCluster cluster;
        private final ClusterAdmin admin;
        private final Agent agent;
        private final String side;
        private final Path healthyDirectory;
        private final Disk ofPlaintext;
        private final Disk ofTls;

        private Play(
                KafkaCluster cluster,
                ClusterAdmin admin,
                Agent agent,
                String side,
                Path healthyDirectory,
                Disk ofPlaintext,
                Disk ofTls) {
            this.cluster = cluster;
            this.admin = admin;
            this.agent = agent;
            this.side = side;
            this.healthyDirectory = healthyDirectory;
            this.ofPlaintext = ofPlaintext;
            this.ofTls = ofTls;
        }

        private Result run() throws Exception {
            TopicPartition plaintext = topic("plain", ofPlaintext.directory());
            TopicPartition tls = topic("tls", ofTls.directory());
            TopicPartition healthy = topic("healthy", healthyDirectory);
            Records.produce(cluster.bootstrap(), "all", RECORDS, plaintext, tls);
            report.say("%s: %,d records on each of two disks, each also on two other brokers", side, RECORDS);
            try (HealthyLoad load = HealthyLoad.on(cluster.plaintextClient(), healthy)) {
                if (agent == Agent.ATTACHED) {
                    attach();
                }
                ofPlaintext.fail(plaintext);
                ofTls.fail(tls);
                report.say("%s: both disks fail", side);
                Consumed gotOverPlaintext;
                Consumed gotOverTls;
                long[] movedAt = new long[2];
                try (ClusterAdmin watched = cluster.admin();
                        LeaderWatch watch = LeaderWatch.of(watched, Map.of(plaintext, LEADER, tls, LEADER))) {
                    CompletableFuture<Consumed> overTls = CompletableFuture.supplyAsync(() -> consume(ofTls, tls));
                    gotOverPlaintext = consume(ofPlaintext, plaintext);
                    gotOverTls = overTls.get();
                    if (agent != Agent.NONE) {
                        ClusterAdmin.await(
                                "both partitions have another leader",
                                () -> admin.leader(plaintext) > LEADER && admin.leader(tls) > LEADER);
                    }
                    movedAt[0] = watch.movedAtMillis(plaintext);
                    movedAt[1] = watch.movedAtMillis(tls);
                }
                HealthyLoad.Result healthyResult = load.end();
                AgentCounts counts = agent == Agent.NONE
                        ? new AgentCounts(Map.of())
                        : cluster.broker(LEADER).agent().counts();
                return new Result(
                        outcome(ofPlaintext, plaintext, gotOverPlaintext, movedAt[0], counts),
                        outcome(ofTls, tls, gotOverTls, movedAt[1], counts),
                        healthyResult,
                        admin.offline(LEADER).contains(healthyDirectory.toString()),
                        admin.leader(healthy),
                        agent == Agent.NONE || counts.balance());
            }
        }

        private TopicPartition topic(String name, Path directory) throws IOException, InterruptedException {
            TopicPartition partition = admin.create(name, REPLICAS, Map.of());
            admin.place(partition, LEADER, directory.toString());
            return partition;
        }

        private void attach() throws IOException, InterruptedException {
            for (KafkaNode broker : cluster.brokers()) {
                broker.agent().run("attach", AGENT);
                broker.awaitAgent(PATIENCE_AT_ATTACH);
            }
            report.say("%s: attached to every running broker", side);
        }

        private Consumed consume(Disk disk, TopicPartition partition) {
            Consumed got = Consumed.of(
                    disk.client(), partition, RECORDS, agent == Agent.NONE ? PATIENCE : PATIENCE_WITH_AGENT);
            report.say(
                    "%s: over %s the consumer got %,d of %,d records: %s %s",
                    side, disk.transport(), got.records(), RECORDS, got.end(), got.detail());
            return got;
        }

        private Outcome outcome(
                Disk disk, TopicPartition partition, Consumed consumed, long movedAt, AgentCounts counts)
                throws Exception {
            KernelTrace trace = cluster.broker(LEADER).trace();
            List<FailedRead> failed = trace == null ? null : trace.failedReads(disk.directory());
            Matcher offline = offlineLine(disk.directory());
            long firstFailure = offline == null
                    ? -1
                    : Instant.parse(offline.group(1)).toEpochMilli() - Long.parseLong(offline.group(2));
            if (failed != null && !failed.isEmpty()) {
                firstFailure = failed.get(0).epochMillis();
            }
            return new Outcome(
                    agent != Agent.NONE,
                    disk.transport(),
                    count(failed, "sendfile", counted(counts, "failures.socket")),
                    count(failed, "pread64", counted(counts, "failures.tls")),
                    admin.offline(LEADER).contains(disk.directory().toString()),
                    admin.leader(partition),
                    offline == null ? -1 : Long.parseLong(offline.group(2)),
                    movedAt < 0 || firstFailure < 0 ? -1 : movedAt - firstFailure,
                    consumed);
        }

        private Matcher offlineLine(Path directory) {
            List<Matcher> found = new ArrayList<>();
            for (String line : cluster.broker(LEADER).process().log()) {
                Matcher matcher = OFFLINE.matcher(line);
                if (line.contains(directory + "/") && matcher.find()) {
                    found.add(matcher);
                }
            }
            return found.isEmpty() ? null : found.get(0);
        }

        private static long count(List<FailedRead> failed, String call, long otherwise) {
            return failed == null
                    ? otherwise
                    : failed.stream().filter(each -> each.call().equals(call)).count();
        }

        private static long counted(AgentCounts counts, String name) {
            return counts.byName().getOrDefault(name, -1L);
        }
    }
}
