package io.faultline.bench.broker;

import io.faultline.bench.Layout;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The bundled broker is killed in the middle of produce, over and over, under the same producers. */
@Command(
        name = "broker-kills",
        description = {
            "the bundled broker is killed in the middle of produce: what was acknowledged is there, and it is back in time",
            "Counted are records lost, there twice, or corrupt, and commits lost; milliseconds from a start until the first answer. It holds if there are none of the first, and it answers within --within."
        },
        mixinStandardHelpOptions = true)
public final class BrokerKills extends Experiment {

    private static final int DIRECTORIES = 3;
    private static final int LONGEST_MILLIS = 1_500;

    @Option(
            names = "--rounds",
            defaultValue = "50",
            description = "How often the broker is killed; ${DEFAULT-VALUE} by default.")
    private int rounds;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "When it is killed follows from this; ${DEFAULT-VALUE} by default.")
    private long seed;

    @Option(
            names = "--within",
            paramLabel = "MILLIS",
            defaultValue = "2000",
            description = "In how much time it must be back; ${DEFAULT-VALUE} by default.")
    private long mostMillis;

    /** Made by the command line. */
    public BrokerKills() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("rounds", rounds);
        report.fact("seed", seed);
        Random random = new Random(seed);
        int port = FreePorts.next();
        String bootstrap = "127.0.0.1:" + port;
        List<FirstAnswer> answers = new ArrayList<>();
        List<ProducerLoad> loads = new ArrayList<>();
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-kills")) {
            List<Path> directories = new ArrayList<>();
            for (int index = 0; index < DIRECTORIES; index++) {
                directories.add(folder.make("data" + index));
            }
            Supply supply = new Supply(layout, port, directories);
            BrokerProcess broker = supply.start();
            try {
                broker.awaitLine("faultline-broker ready");
                List<TopicPartition> partitions = LoadTopics.create(bootstrap);
                LogAudit audit = new LogAudit(partitions);
                for (ProducerLoad.Kind kind : ProducerLoad.Kind.ALL) {
                    loads.add(new ProducerLoad(bootstrap, kind, LoadTopics.of(kind, partitions)));
                }
                loads.forEach(ProducerLoad::awaitFirstAcknowledgement);
                for (int round = 1; round <= rounds; round++) {
                    LockSupport.parkNanos(Duration.ofMillis(1 + random.nextInt(LONGEST_MILLIS))
                            .toNanos());
                    broker.process().kill();
                    long began = System.nanoTime();
                    broker = supply.start();
                    answers.add(FirstAnswer.await(broker.process(), port, began));
                    audit.catchUp(bootstrap);
                    report.say(
                            "round %d: back after %d ms, %,d records read",
                            round, answers.get(answers.size() - 1).millis(), audit.records());
                }
                for (ProducerLoad load : loads) {
                    load.finish();
                }
                audit.catchUp(bootstrap);
                conclude(report, audit, loads, answers);
            } finally {
                loads.forEach(ProducerLoad::close);
                broker.close();
            }
        }
    }

    private void conclude(Report report, LogAudit audit, List<ProducerLoad> loads, List<FirstAnswer> answers) {
        Table table = new Table(List.of("acknowledged", "given up", "lost", "there twice"));
        for (ProducerLoad load : loads) {
            String topic = load.kind().topic();
            long lost = audit.lost(load);
            long duplicates = audit.duplicates(load);
            table.row(topic, List.of(load.acknowledgements(), load.failed(), lost, duplicates));
            report.claim(load.acknowledgements() > 0, topic + ": something was acknowledged");
            report.claim(lost == 0, topic + ": nothing acknowledged is lost, not " + lost + " records");
            if (load.kind().idempotent()) {
                report.claim(duplicates == 0, topic + ": nothing is there twice, not " + duplicates + " records");
                report.claim(load.failed() == 0, topic + ": the producer gives nothing up");
            }
        }
        report.table("Records of " + rounds + " kills", table);
        LongSummaryStatistics millis =
                answers.stream().mapToLong(FirstAnswer::millis).summaryStatistics();
        LongSummaryStatistics cpu =
                answers.stream().mapToLong(FirstAnswer::cpuMillis).summaryStatistics();
        report.table(
                "From the start of the process to the first answered request, " + rounds + " times",
                new Table(List.of("least", "mean", "most"))
                        .row("time, ms", cells(millis))
                        .row("processor time, ms", cells(cpu)));
        report.claim(audit.wrong() == 0, "nothing corrupt is served, not " + audit.wrong() + " records");
        report.claim(audit.commitsLost() == 0, "no committed offset is lost, not " + audit.commitsLost());
        report.claim(millis.getMax() < mostMillis, "it is back within " + mostMillis + " ms, not " + millis.getMax());
    }

    private static List<Long> cells(LongSummaryStatistics summary) {
        return List.of(summary.getMin(), Math.round(summary.getAverage()), summary.getMax());
    }

    /** Starts one broker after the other over the same directories. */
    private record Supply(Layout layout, int port, List<Path> directories) {

        BrokerProcess start() throws IOException {
            return BrokerProcess.launch(
                    layout, port, List.of("-Xmx64m"), List.of("--log.segment.bytes=1000000"), directories);
        }
    }
}
