package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.client.Records;
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
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The directories that a node of Kafka cannot do without: its last one, and the one that its metadata log is in. A segment in such a directory fails; whether that ends the node is for the operator to
 * say.
 */
@Command(
        name = "kafka-last-dir",
        description = {
            "a node ends with its last directory, or that of its metadata log, unless an option keeps it",
            "It holds if the node ends as on an I/O error of its own, or, with act.last-dir=observe or act.metadata-dir=observe, serves on, says so, and has everything once it can be read again."
        },
        mixinStandardHelpOptions = true)
public final class KafkaLastDirectory extends Experiment {

    private static final String AGENT = "mode=act,act.max.directories=2";
    private static final int RECORDS = 2_000;
    private static final int NODE = 1;
    private static final long DISK_SIZE = 400L << 20;
    private static final Duration UNTIL_TOLD = Duration.ofSeconds(60);
    private static final Duration UNTIL_ENDED = Duration.ofSeconds(60);

    /** So long a consumer that gets nothing has stalled, and a node that did not end serves on. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Mixin
    private KafkaOptions kafka;

    /** Made by the command line. */
    public KafkaLastDirectory() {}

    /** Which directory it is, and the option that keeps it. */
    private enum Needed {
        LAST("act.last-dir=observe"),
        METADATA("act.metadata-dir=observe");

        private final String keeping;

        Needed(String keeping) {
            this.keeping = keeping;
        }
    }

    /**
     * What came of it.
     *
     * @param firstOffline whether the directory that failed before, and was not the last then, is offline; true where there is none
     * @param exit the node's exit status, -1 where it serves on
     * @param told the line of the agent's log on the needed directory
     * @param wouldBeOffline whether the status shows that it was left alone
     * @param whenHealed what a consumer gets of it once it can be read again; null where the node ended
     */
    private record Outcome(
            boolean firstOffline, int exit, String told, boolean wouldBeOffline, Consumed.End whenHealed) {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        NodeOptions.requireFailingDisk();
        kafka.describe(report);
        Table table = new Table(List.of("the node", "the agent"));
        for (Needed needed : Needed.values()) {
            Outcome acted = play(layout, needed, AGENT);
            report.say("%s: %s", needed, acted);
            Outcome kept = play(layout, needed, AGENT + "," + needed.keeping);
            report.say("%s, %s: %s", needed, needed.keeping, kept);
            table.row(needed.toString(), cells(acted));
            table.row(needed + ", " + needed.keeping, cells(kept));
            report.claim(
                    acted.firstOffline() && kept.firstOffline(),
                    needed + ": one that it can do without goes offline either way");
            report.claim(acted.exit() == 1, needed + ": the node ends as on an I/O error of its own: " + acted);
            report.claim(
                    kept.exit() < 0 && kept.wouldBeOffline() && kept.told().contains(needed.keeping),
                    needed + ": with " + needed.keeping + " it serves on, and that is said: " + kept);
            report.claim(
                    kept.whenHealed() == Consumed.End.COMPLETE,
                    needed + ": with " + needed.keeping + " everything is there once it can be read again");
        }
        report.table("A directory that a node of Kafka " + kafka.version() + " cannot do without", table);
    }

    private static List<Object> cells(Outcome outcome) {
        String node = outcome.exit() < 0 ? "serves on" : "ends with status " + outcome.exit();
        return List.of(node, outcome.told().replaceAll(".*; ", ""));
    }

    private Outcome play(Layout layout, Needed needed, String agent) throws Exception {
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE);
                TemporaryFolder folder = TemporaryFolder.named("faultline-last-dir")) {
            Path first = Files.createDirectory(disk.directory().resolve("first"));
            Path needy = Files.createDirectory(disk.directory().resolve("needed"));
            ClusterBuilder builder = KafkaCluster.of(layout, kafka.version())
                    .java(kafka.java(layout))
                    .brokers(NODE)
                    .combined()
                    .kraft()
                    .logDirs(NODE, first.toString(), needy.toString())
                    .metadataLogDir(
                            NODE,
                            needed == Needed.METADATA
                                    ? needy.toString()
                                    : folder.make("metadata").toString())
                    .agent(agent);
            try (KafkaCluster cluster = builder.start();
                    ClusterAdmin admin = cluster.admin()) {
                TopicPartition inFirst = topic(admin, "first", first);
                TopicPartition inNeeded = topic(admin, "needed", needy);
                Records.produce(cluster.bootstrap(), "all", RECORDS, inFirst, inNeeded);
                boolean firstOffline = true;
                if (needed == Needed.LAST) {
                    fail(cluster, disk, first, inFirst);
                    firstOffline =
                            ClusterAdmin.holdsAtLast(() -> admin.offline(NODE).contains(first.toString()));
                }
                fail(cluster, disk, needy, inNeeded);
                return outcome(cluster, disk, needy, inNeeded, firstOffline);
            }
        }
    }

    private static TopicPartition topic(ClusterAdmin admin, String name, Path directory)
            throws IOException, InterruptedException {
        TopicPartition partition = admin.create(name, List.of(NODE), Map.of());
        admin.place(partition, NODE, directory.toString());
        return partition;
    }

    private static void fail(KafkaCluster cluster, FailingDisk disk, Path directory, TopicPartition partition)
            throws IOException {
        Path segment = directory.resolve(partition.toString()).resolve("00000000000000000000.log");
        long from = Files.size(segment) / 2;
        disk.poison(segment, from, Files.size(segment) - from);
        Consumed.of(cluster.plaintextClient(), partition, RECORDS, PATIENCE);
    }

    private static Outcome outcome(
            KafkaCluster cluster, FailingDisk disk, Path directory, TopicPartition partition, boolean firstOffline)
            throws IOException, InterruptedException {
        JvmProcess node = cluster.broker(NODE).process();
        String told = node.awaitLine("DISK (READ_FAILED) in " + directory + ": ", UNTIL_TOLD);
        boolean observes = told.contains("observing only");
        int exit = -1;
        try {
            exit = node.awaitExit(observes ? PATIENCE : UNTIL_ENDED);
        } catch (IOException servesOn) { // which the outcome says
        }
        if (!node.isAlive()) {
            return new Outcome(firstOffline, exit, told, false, null);
        }
        boolean wouldBeOffline =
                cluster.broker(NODE).agent().run("status").contains(directory + ".would-be-offline=true");
        disk.healAll();
        Consumed healed = Consumed.of(cluster.plaintextClient(), partition, RECORDS, PATIENCE);
        return new Outcome(firstOffline, exit, told, wouldBeOffline, healed.end());
    }
}
