package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.client.Records;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.disk.FailingDisk;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Log directories that are spelled in other ways than they are resolved: each is taken offline under the name that the broker has for it. */
@Command(
        name = "kafka-spelling",
        description = {
            "log directories behind a link, with slashes too many, and relative go offline under the broker's name",
            "It holds if each failing directory is taken offline, no other is, and the broker serves on."
        },
        mixinStandardHelpOptions = true)
public final class KafkaSpelling extends Experiment {

    private static final int BROKER = 1;
    private static final int RECORDS = 2_000;
    private static final long DISK_SIZE = 400L << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @Mixin
    private KafkaOptions kafka;

    /** Made by the command line. */
    public KafkaSpelling() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        NodeOptions.requireFailingDisk();
        kafka.describe(report);
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE);
                TemporaryFolder folder = TemporaryFolder.named("faultline-spelling")) {
            Path mount = disk.directory();
            Path link = folder.path().resolve("link");
            Files.createSymbolicLink(link, Files.createDirectory(mount.resolve("linked")));
            Files.createDirectory(mount.resolve("slashes"));
            Files.createDirectory(mount.resolve("relative"));
            // Nodes are started in a folder beside the disk's.
            Path temporary = folder.path().getParent();
            Map<String, String> spellings = new LinkedHashMap<>();
            spellings.put("link", link.toString());
            spellings.put("slashes", mount + "//slashes/");
            spellings.put("relative", "../" + temporary.relativize(mount) + "/relative");
            ClusterBuilder builder = KafkaCluster.of(layout, kafka.version())
                    .java(kafka.java(layout))
                    .keepLogs(kafka.logs())
                    .brokers(1)
                    .agent("mode=act,act.max.directories=" + spellings.size())
                    .logDirs(
                            BROKER,
                            folder.make("healthy").toString(),
                            spellings.get("link"),
                            spellings.get("slashes"),
                            spellings.get("relative"));
            try (KafkaCluster cluster = builder.start();
                    ClusterAdmin admin = cluster.admin()) {
                Map<String, TopicPartition> partitions = new LinkedHashMap<>();
                for (String kind :
                        spellings.keySet()) { // all before any fails: a broker with an offline directory moves nothing
                    TopicPartition partition = admin.create(kind, List.of(BROKER), Map.of());
                    admin.place(partition, BROKER, nameOf(spellings.get(kind), cluster));
                    partitions.put(kind, partition);
                }
                Records.produce(
                        cluster.bootstrap(), "all", RECORDS, partitions.values().toArray(TopicPartition[]::new));
                Table table = new Table(List.of("configured", "the broker's name", "state"));
                for (Map.Entry<String, TopicPartition> kind : partitions.entrySet()) {
                    String configured = spellings.get(kind.getKey());
                    String name = nameOf(configured, cluster);
                    boolean offline = fail(cluster, admin, disk, kind.getValue(), name);
                    report.say("%s is %s", name, offline ? "offline" : "online");
                    table.row(kind.getKey(), List.of(configured, name, offline ? "offline" : "online"));
                    report.claim(offline, kind.getKey() + ": " + name + " is taken offline");
                }
                report.table("Kafka " + kafka.version(), table);
                report.claim(admin.offline(BROKER).size() == spellings.size(), "no other directory is taken offline");
                report.claim(cluster.broker(BROKER).process().isAlive(), "the broker serves on");
            }
        }
    }

    /** What Kafka makes of a configured directory: absolute, and not resolved any further. */
    private static String nameOf(String configured, KafkaCluster cluster) {
        File directory = new File(configured);
        return directory.isAbsolute()
                ? directory.getPath()
                : new File(cluster.folder().toFile(), configured).getPath();
    }

    /** Makes a partition in a directory unreadable, has it read, and says whether the directory goes offline. */
    private static boolean fail(
            KafkaCluster cluster, ClusterAdmin admin, FailingDisk disk, TopicPartition partition, String directory)
            throws IOException, InterruptedException {
        Path segment = Path.of(directory)
                .resolve(partition.toString())
                .resolve("00000000000000000000.log")
                .toRealPath();
        long from = Files.size(segment) / 2;
        disk.poison(segment, from, Files.size(segment) - from);
        CompletableFuture<Consumed> reading = CompletableFuture.supplyAsync(
                () -> Consumed.of(cluster.plaintextClient(), partition, RECORDS, PATIENCE));
        try {
            return ClusterAdmin.holdsAtLast(() -> admin.offline(BROKER).contains(directory));
        } finally {
            reading.join();
        }
    }
}
