package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.client.Records;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.disk.FailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Several brokers in one JVM, each with a disk that fails: each directory goes to the broker that it belongs to. */
@Command(
        name = "kafka-one-jvm",
        description = {
            "with several brokers in one JVM, each failed directory is taken offline at its own broker",
            "It holds if of each of two brokers the failing directory, and no other, goes offline, and all records are consumed from the next leader."
        },
        mixinStandardHelpOptions = true)
public final class KafkaOneJvm extends Experiment {

    private static final int RECORDS = 5_000;
    private static final long DISK_SIZE = 400L << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Mixin
    private KafkaOptions kafka;

    /** Made by the command line. */
    public KafkaOneJvm() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        NodeOptions.requireFailingDisk();
        kafka.describe(report);
        try (FailingDisk diskOfFirst = FailingDisk.btrfs(DISK_SIZE);
                FailingDisk diskOfSecond = FailingDisk.btrfs(DISK_SIZE);
                TemporaryFolder folder = TemporaryFolder.named("faultline-one-jvm")) {
            Path first = Files.createDirectory(diskOfFirst.directory().resolve("logs"));
            Path second = Files.createDirectory(diskOfSecond.directory().resolve("logs"));
            ClusterBuilder builder = KafkaCluster.of(layout, kafka.version())
                    .java(kafka.java(layout))
                    .keepLogs(kafka.logs())
                    .inOneJvm()
                    .agent("mode=act,act.max.directories=2")
                    .logDirs(1, folder.make("healthy-1").toString(), first.toString())
                    .logDirs(2, folder.make("healthy-2").toString(), second.toString());
            try (KafkaCluster cluster = builder.start();
                    ClusterAdmin admin = cluster.admin()) {
                TopicPartition ofFirst = admin.create("first", List.of(1, 3), Map.of());
                TopicPartition ofSecond = admin.create("second", List.of(2, 3), Map.of());
                admin.place(ofFirst, 1, first.toString());
                admin.place(ofSecond, 2, second.toString());
                Records.produce(cluster.bootstrap(), "all", RECORDS, ofFirst, ofSecond);
                report.say("three brokers are up in one JVM");
                Table table = new Table(List.of("broker 1", "broker 2", "broker 3"));
                table.row("before", offline(admin));
                Consumed gotOfFirst = fail(cluster, diskOfFirst, first, ofFirst);
                List<Object> afterFirst = offline(admin);
                table.row("the disk of broker 1 has failed", afterFirst);
                Consumed gotOfSecond = fail(cluster, diskOfSecond, second, ofSecond);
                List<Object> afterSecond = offline(admin);
                table.row("the disk of broker 2 has failed", afterSecond);
                report.table("Directories offline", table);
                report.claim(
                        afterFirst.equals(List.of(first.toString(), "-", "-")), "first, broker 1 has its disk offline");
                report.claim(
                        afterSecond.equals(List.of(first.toString(), second.toString(), "-")),
                        "then, broker 2 has its disk offline");
                for (Consumed got : List.of(gotOfFirst, gotOfSecond)) {
                    report.claim(
                            got.end() == Consumed.End.COMPLETE && got.wrong() == 0,
                            "all records are consumed, from the next leader: " + got);
                }
            }
        }
    }

    private static Consumed fail(KafkaCluster cluster, FailingDisk disk, Path directory, TopicPartition partition)
            throws IOException {
        Path segment = directory.resolve(partition.toString()).resolve("00000000000000000000.log");
        long from = Files.size(segment) / 2;
        disk.poison(segment, from, Files.size(segment) - from);
        return Consumed.of(cluster.tlsClient(), partition, RECORDS, PATIENCE);
    }

    private static List<Object> offline(ClusterAdmin admin) throws IOException, InterruptedException {
        List<Object> offline = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            String names = String.join(" ", new TreeSet<>(admin.offline(id)));
            offline.add(names.isEmpty() ? "-" : names);
        }
        return offline;
    }
}
