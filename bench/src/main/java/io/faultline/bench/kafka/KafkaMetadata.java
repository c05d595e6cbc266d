package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.disk.FailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A bad block in the metadata log of a KRaft cluster, which a broker that joins has to fetch. The node that leads the log ends as it ends on an I/O error of its own there;
 * how that is, is looked at first.
 */
@Command(
        name = "kafka-metadata",
        description = {
            "a bad block in the metadata log ends its leader, as an I/O error of its own there does",
            "It holds if, without the agent, the leader serves on while nobody can join; if, with it, the leader ends with the exit status that an I/O error of its own gives it, and with act.metadata-dir=observe serves on."
        },
        mixinStandardHelpOptions = true)
public final class KafkaMetadata extends Experiment {

    private static final String ACT = "mode=act";
    private static final String OBSERVE_METADATA = "mode=act,act.metadata-dir=observe";
    private static final long DISK_SIZE = 400L << 20;
    private static final int JOINING = 2;
    private static final int TOPICS = 8;
    private static final int CHANGES = 40;
    private static final int CHANGE_ENTRIES = 2_000;
    private static final String FIRST_SNAPSHOT = "00000000000000000000-0000000000.checkpoint";
    private static final Duration UNTIL_CLEANED = Duration.ofSeconds(180);
    private static final Duration UNTIL_ENDED = Duration.ofSeconds(60);

    /** So long a node that did not end is taken to serve on. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Mixin
    private KafkaOptions kafka;

    @Option(
            names = "--no-snapshots",
            negatable = true,
            description = "Leave out snapshots, each of which takes a minute or two to come about.")
    private boolean snapshots = true;

    /** Made by the command line. */
    public KafkaMetadata() {}

    /** Who leads the metadata log. */
    private enum Leader {
        CONTROLLER,
        COMBINED
    }

    /** Which part of it cannot be read or written. */
    private enum Bad {
        /** Its last block: the next append fails, in Kafka's own hands. */
        LAST_BLOCK,
        /** A block in the middle: it fails when it is sent. */
        MIDDLE,
        /** A block of the snapshot that stands for the beginning of the log. */
        SNAPSHOT
    }

    /**
     * What came of it.
     *
     * @param ended whether the leader ended
     * @param exit its exit status, -1 if it did not
     * @param joined whether the other broker has joined
     * @param joinedWhenHealed whether it has, once the block could be read again; where the leader did not end
     * @param last what it said last at level FATAL or ERROR
     */
    private record Outcome(boolean ended, int exit, boolean joined, boolean joinedWhenHealed, String last) {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        NodeOptions.requireFailingDisk();
        kafka.describe(report);
        Table table = new Table(List.of("the leader of the log", "the joining broker", "its last error"));
        for (Leader leader : Leader.values()) {
            String name = leader.name().toLowerCase(Locale.ROOT);
            Outcome own = play(layout, report, leader, Bad.LAST_BLOCK, null);
            table.row(name + ", an append fails", cells(own));
            report.claim(own.ended() && own.exit() != 0, name + " ends on an I/O error of its own: " + own);
            for (Bad bad : snapshots ? List.of(Bad.MIDDLE, Bad.SNAPSHOT) : List.of(Bad.MIDDLE)) {
                String what =
                        name + (bad == Bad.MIDDLE ? ", a send of the log fails" : ", a send of the snapshot fails");
                Outcome base = play(layout, report, leader, bad, null);
                Outcome agent = play(layout, report, leader, bad, ACT);
                Outcome observed = play(layout, report, leader, bad, OBSERVE_METADATA);
                table.row(what + ", base", cells(base));
                table.row(what + ", agent", cells(agent));
                table.row(what + ", agent, act.metadata-dir=observe", cells(observed));
                report.claim(
                        !base.ended() && !base.joined(),
                        what + ": without the agent it serves on, and nobody joins: " + base);
                report.claim(base.joinedWhenHealed(), what + ": without the agent, once healed, somebody joins");
                report.claim(
                        agent.exit() == own.exit(),
                        what + ": with the agent it ends as on an I/O error of its own: " + agent);
                report.claim(!observed.ended(), what + ": with act.metadata-dir=observe it serves on: " + observed);
            }
        }
        report.table("A bad block in the metadata log of Kafka " + kafka.version(), table);
    }

    private static List<Object> cells(Outcome outcome) {
        return List.of(
                outcome.ended() ? "ends with status " + outcome.exit() : "serves on",
                outcome.joined() ? "has joined" : "does not get in",
                outcome.last());
    }

    private Outcome play(Layout layout, Report report, Leader leader, Bad bad, String agent) throws Exception {
        String side = leader + "-" + bad + (agent == null ? "" : "-" + agent.replaceAll("\\W+", "-"));
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE);
                TemporaryFolder folder = TemporaryFolder.named("faultline-metadata")) {
            Path directory = Files.createDirectory(disk.directory().resolve("metadata"));
            ClusterBuilder builder = KafkaCluster.of(layout, kafka.version())
                    .java(kafka.java(layout))
                    .keepLogs(kafka.logs() == null ? null : kafka.logs().resolve(side))
                    .kraft()
                    .brokers(JOINING)
                    .absent(JOINING);
            if (leader == Leader.COMBINED) {
                builder.combined().logDirs(1, folder.make("logs").toString()).metadataLogDir(1, directory.toString());
            } else {
                builder.controllerDirectory(directory);
            }
            if (bad == Bad.SNAPSHOT) {
                // A snapshot soon; and then, within a minute, the log begins with it.
                builder.property("metadata.log.max.record.bytes.between.snapshots", "200000")
                        .property("metadata.max.retention.bytes", "1");
            }
            if (agent != null) {
                builder.agent(agent);
            }
            try (KafkaCluster cluster = builder.start();
                    ClusterAdmin admin = cluster.admin()) {
                grow(admin);
                poison(disk, directory.resolve("__cluster_metadata-0"), bad);
                cluster.broker(JOINING).start();
                Outcome outcome = outcome(
                        cluster.coordinator().process(), admin, disk, bad == Bad.LAST_BLOCK || ACT.equals(agent));
                report.say("%s: %s", side, outcome);
                return outcome;
            }
        }
    }

    /** Makes the metadata log, and each snapshot of it, many blocks long. */
    private static void grow(ClusterAdmin admin) throws IOException, InterruptedException {
        for (int topic = 0; topic < TOPICS; topic++) {
            admin.create("metadata-" + topic, List.of(1), Map.of());
        }
        for (int change = 0; change < CHANGES; change++) {
            String value = IntStream.range(change, change + CHANGE_ENTRIES)
                    .mapToObj(partition -> partition + ":1")
                    .collect(Collectors.joining(","));
            admin.configure("metadata-" + change % TOPICS, Map.of("leader.replication.throttled.replicas", value));
        }
    }

    private static void poison(FailingDisk disk, Path folder, Bad bad) throws IOException, InterruptedException {
        Path log = folder.resolve("00000000000000000000.log");
        switch (bad) {
            case LAST_BLOCK -> disk.poison(log, Files.size(log) - 1, 1);
            case MIDDLE -> disk.poison(log, Files.size(log) / 2, FailingDisk.BLOCK_SIZE);
            case SNAPSHOT -> {
                // Those before are deleted where the log no longer needs them.
                ClusterAdmin.await(
                        "the log begins with a snapshot",
                        UNTIL_CLEANED,
                        () -> snapshots(folder).size() == 1
                                && !snapshots(folder).equals(List.of(FIRST_SNAPSHOT)));
                Path snapshot = folder.resolve(snapshots(folder).get(0));
                disk.poison(snapshot, Files.size(snapshot) / 2, FailingDisk.BLOCK_SIZE);
            }
            default -> throw new IllegalArgumentException(bad.toString());
        }
    }

    private static List<String> snapshots(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".checkpoint"))
                    .toList();
        }
    }

    private static Outcome outcome(JvmProcess leader, ClusterAdmin admin, FailingDisk disk, boolean expectEnd)
            throws IOException, InterruptedException {
        int exit = -1;
        try {
            exit = leader.awaitExit(expectEnd ? UNTIL_ENDED : PATIENCE);
        } catch (IOException servesOn) { // which the outcome says
        }
        boolean joined = admin.countBrokers() == JOINING;
        boolean joinedWhenHealed = false;
        if (leader.isAlive()) {
            disk.healAll();
            joinedWhenHealed = ClusterAdmin.holdsAtLast(() -> admin.countBrokers() == JOINING);
        }
        String last = leader.log().stream()
                .filter(line -> line.contains("] FATAL ") || line.contains("] ERROR "))
                .map(line -> line.substring(line.indexOf("] ") + 2))
                .reduce("-", (before, after) -> after);
        return new Outcome(exit >= 0, exit, joined, joinedWhenHealed, last);
    }
}
