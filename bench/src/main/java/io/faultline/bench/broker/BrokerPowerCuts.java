package io.faultline.bench.broker;

import io.faultline.bench.Layout;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.SegmentDump;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.disk.DiskTools;
import io.faultline.disk.PoweredDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The power of the bundled broker's disk is cut in the middle of produce. With a flush for each message nothing that was acknowledged is
 * lost; with none, nothing corrupt is served. What the broker keeps beside the records agrees with them in the end.
 */
@Command(
        name = "broker-power-cuts",
        description = {
            "the power of the bundled broker's disk is cut in the middle of produce, with and without flushes",
            "It holds if nothing acknowledged is lost with a flush for each message, and, with flushes or without, nothing corrupt is served, nothing is there twice, and what the broker keeps beside the records agrees with them."
        },
        mixinStandardHelpOptions = true)
public final class BrokerPowerCuts extends Experiment {

    private static final long DISK_BYTES = 256L << 20;
    private static final int LONGEST_MILLIS = 2_000;
    private static final String SEGMENTS = "--log.segment.bytes=300000";

    /** Lines of the broker that say of files which were closed in order that they were not what they should be. */
    private static final List<String> DISAGREEMENTS = List.of("built anew", "is cut", ": cut from", "torn or foreign");

    @Option(
            names = "--rounds",
            defaultValue = "20",
            description = "How often the power is cut, with and without flushes in turn; ${DEFAULT-VALUE} by default.")
    private int rounds;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "When it is cut follows from this; ${DEFAULT-VALUE} by default.")
    private long seed;

    /** Made by the command line. */
    public BrokerPowerCuts() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        List<String> missing = DiskTools.missingForPoweredDisk();
        if (!missing.isEmpty()) {
            throw new IllegalStateException("a disk whose power can be cut needs " + String.join(", ", missing));
        }
        report.fact("rounds", rounds);
        report.fact("seed", seed);
        Random random = new Random(seed);
        Table table = new Table(List.of("acknowledged", "lost", "corrupt", "there twice", "disagreeing"));
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-power")) {
            SegmentDump dump = new SegmentDump(layout, folder.path());
            for (int round = 1; round <= rounds; round++) {
                boolean flushed = round % 2 == 1;
                long millis = 1 + random.nextInt(LONGEST_MILLIS);
                Outcome outcome = cut(layout, dump, flushed, millis);
                String name =
                        round + (flushed ? ": log.flush.interval.messages=1" : ": defaults") + ", " + millis + " ms";
                report.say("%s: %,d acknowledged, %,d lost", name, outcome.acknowledged(), outcome.lost());
                table.row(name, outcome.cells());
                claim(report, name, flushed, outcome);
            }
        }
        report.table("Records of " + rounds + " power cuts", table);
    }

    private static void claim(Report report, String name, boolean flushed, Outcome outcome) {
        if (flushed) {
            report.claim(outcome.acknowledged() > 0, name + ": something was acknowledged");
            report.claim(outcome.lost() == 0, name + ": nothing acknowledged is lost, not " + outcome.lost());
        }
        report.claim(outcome.wrong() == 0, name + ": nothing corrupt is served, not " + outcome.wrong() + " records");
        report.claim(outcome.duplicates() == 0, name + ": nothing is there twice, not " + outcome.duplicates());
        report.claim(outcome.disagreements().isEmpty(), name + ": what is kept agrees: " + outcome.disagreements());
    }

    /**
     * What a power cut did.
     *
     * @param acknowledged how many records were acknowledged before
     * @param lost how many of them are not there
     * @param wrong how many records are there that nobody produced
     * @param duplicates how many of idempotent producers are there more than once
     * @param disagreements what of indexes, snapshots and checkpoints does not agree with the records
     */
    private record Outcome(long acknowledged, long lost, long wrong, long duplicates, List<String> disagreements) {

        List<Object> cells() {
            return List.of(acknowledged, lost, wrong, duplicates, disagreements.size());
        }
    }

    private static Outcome cut(Layout layout, SegmentDump dump, boolean flushed, long millis) throws Exception {
        List<String> arguments = flushed ? List.of(SEGMENTS, "--log.flush.interval.messages=1") : List.of(SEGMENTS);
        int port = FreePorts.next();
        String bootstrap = "127.0.0.1:" + port;
        try (PoweredDisk disk = PoweredDisk.ext4(DISK_BYTES)) {
            BrokerProcess broker = start(layout, port, arguments, disk);
            List<ProducerLoad> loads = new ArrayList<>();
            List<TopicPartition> partitions;
            PoweredDisk after;
            try {
                partitions = LoadTopics.create(bootstrap);
                for (ProducerLoad.Kind kind : ProducerLoad.Kind.ALL) {
                    loads.add(new ProducerLoad(bootstrap, kind, LoadTopics.of(kind, partitions)));
                }
                loads.forEach(ProducerLoad::awaitFirstAcknowledgement);
                LockSupport.parkNanos(Duration.ofMillis(millis).toNanos() / 2);
                if (!flushed) {
                    // Else everything would be in memory, and nothing torn.
                    disk.writeBack();
                }
                LockSupport.parkNanos(Duration.ofMillis(millis).toNanos() / 2);
                broker.process().freeze();
                after = disk.cutPower();
            } finally {
                broker.process().kill();
                loads.forEach(ProducerLoad::close);
            }
            try (after) {
                return audit(layout, dump, port, arguments, after, partitions, loads);
            }
        }
    }

    private static BrokerProcess start(Layout layout, int port, List<String> arguments, PoweredDisk disk)
            throws IOException, InterruptedException {
        BrokerProcess broker = BrokerProcess.launch(layout, port, List.of("-Xmx64m"), arguments, directories(disk));
        broker.awaitLine("faultline-broker ready");
        return broker;
    }

    private static List<Path> directories(PoweredDisk disk) {
        return List.of(disk.directory().resolve("a"), disk.directory().resolve("b"));
    }

    /** Reads what is there; then twice more, once after an orderly stop and once from the records alone, which must be the same. */
    private static Outcome audit(
            Layout layout,
            SegmentDump dump,
            int port,
            List<String> arguments,
            PoweredDisk disk,
            List<TopicPartition> partitions,
            List<ProducerLoad> loads)
            throws Exception {
        String bootstrap = "127.0.0.1:" + port;
        LogAudit audit = new LogAudit(partitions);
        List<String> disagreements = new ArrayList<>();
        LogFacts recovered;
        BrokerProcess broker = start(layout, port, arguments, disk);
        try {
            audit.catchUp(bootstrap);
            recovered = LogFacts.of(bootstrap, partitions);
        } finally {
            broker.close();
        }
        for (Path directory : directories(disk)) {
            disagreements.addAll(dump.complaints(directory));
        }
        recovered.addDisagreements(directories(disk), disagreements);
        try (BrokerProcess again = start(layout, port, arguments, disk)) {
            addIfDifferent("after an orderly stop", recovered, LogFacts.of(bootstrap, partitions), disagreements);
            again.process().log().stream()
                    .filter(line -> DISAGREEMENTS.stream().anyMatch(line::contains))
                    .forEach(disagreements::add);
        }
        deleteAllButRecords(disk);
        BrokerProcess fromRecords = start(layout, port, arguments, disk);
        try {
            addIfDifferent("from the records alone", recovered, LogFacts.of(bootstrap, partitions), disagreements);
        } finally {
            fromRecords.close();
        }
        return new Outcome(
                loads.stream().mapToLong(ProducerLoad::acknowledgements).sum(),
                loads.stream().mapToLong(audit::lost).sum(),
                audit.wrong(),
                loads.stream()
                        .filter(load -> load.kind().idempotent())
                        .mapToLong(audit::duplicates)
                        .sum(),
                disagreements);
    }

    private static void addIfDifferent(String when, LogFacts recovered, LogFacts now, List<String> disagreements) {
        if (!now.equals(recovered)) {
            disagreements.add(when + ": " + now + ", and not " + recovered);
        }
    }

    private static void deleteAllButRecords(PoweredDisk disk) throws IOException {
        List<Path> files;
        try (Stream<Path> tree = Files.walk(disk.directory())) {
            files = tree.filter(
                            path -> path.toString()
                                    .matches(
                                            ".*\\.(index|timeindex|snapshot)|.*/recovery-point-offset-checkpoint|.*_cleanshutdown"))
                    .toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }
}
