package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.kafka.FailingDiskScene.Agent;
import io.faultline.bench.kafka.FailingDiskScene.Outcome;
import io.faultline.bench.kafka.FailingDiskScene.Result;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@link KafkaTable} over several releases, one line each. */
@Command(
        name = "kafka-matrix",
        description = {
            "kafka-table over several releases of Kafka, with ZooKeeper where they take it",
            "One line for each release, with the figures of kafka-table.",
            "It holds if all claims of kafka-table hold for each."
        },
        mixinStandardHelpOptions = true)
public final class KafkaMatrix extends Experiment {

    @Option(
            names = "--versions",
            split = ",",
            defaultValue = "2.8.2,3.4.1,3.9.1,4.1.1,4.3.1,4.4.0",
            description = "The releases; ${DEFAULT-VALUE} by default.")
    private List<String> versions;

    @Option(
            names = "--attach",
            description = "Attach the agent to the running brokers, instead of starting them with it.")
    private boolean attach;

    @Mixin
    private NodeOptions nodes;

    /** Made by the command line. */
    public KafkaMatrix() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        NodeOptions.requireFailingDisk();
        nodes.describe(report);
        Table table = new Table(List.of(
                "base, PLAINTEXT",
                "base, TLS",
                "agent, PLAINTEXT",
                "agent, TLS",
                "offline after, ms",
                "new leader after, ms"));
        for (String version : versions) {
            KafkaVersion kafka = KafkaVersion.of(version);
            FailingDiskScene scene = new FailingDiskScene(layout, kafka, nodes.java(layout), nodes.logs(), report);
            try {
                Result base = scene.play(Agent.NONE);
                Result agent = scene.play(attach ? Agent.ATTACHED : Agent.WITH_THE_JVM);
                table.row(version, row(base, agent));
                KafkaTable.judge(report, version + ", ", base, agent);
            } catch (IOException failed) { // of one release; the others may do
                report.claim(false, version + " runs: " + failed);
                table.row(version, List.of("failed", "failed", "failed", "failed", "-", "-"));
            }
        }
        report.table("A disk of the leader fails: records consumed, of " + FailingDiskScene.RECORDS, table);
    }

    private static List<Object> row(Result base, Result agent) {
        return List.of(
                cell(base.plaintext()),
                cell(base.tls()),
                cell(agent.plaintext()),
                cell(agent.tls()),
                Math.max(agent.plaintext().millisToOffline(), agent.tls().millisToOffline()),
                Math.max(agent.plaintext().millisToLeader(), agent.tls().millisToLeader()));
    }

    private static String cell(Outcome outcome) {
        Consumed consumed = outcome.consumed();
        return String.format(
                "%,d%s, %s, leader %d",
                consumed.records(),
                consumed.end() == Consumed.End.COMPLETE ? "" : " " + consumed.end(),
                outcome.offline() ? "offline" : "online",
                outcome.leader());
    }
}
