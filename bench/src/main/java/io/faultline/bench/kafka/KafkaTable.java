package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.kafka.FailingDiskScene.Agent;
import io.faultline.bench.kafka.FailingDiskScene.Outcome;
import io.faultline.bench.kafka.FailingDiskScene.Result;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A failing disk under a real Kafka broker, with the agent and without, over plaintext and TLS. */
@Command(
        name = "kafka-table",
        description = {
            "a disk fails under a broker of a real Kafka cluster, with the agent and without, over PLAINTEXT and TLS",
            "Counted are the records that a consumer gets of 20,000, the right ones and wrong ones; milliseconds from the first failed read until the directory is offline.",
            "It holds if, without the agent, the failure shows (records held back, directory and leader as before), and if, with the agent, all records are consumed, the directory goes offline and the leader moves; with both, the healthy directory serves on."
        },
        mixinStandardHelpOptions = true)
public final class KafkaTable extends Experiment {

    @Mixin
    private KafkaOptions kafka;

    @Option(
            names = "--attach",
            description = "Attach the agent to the running brokers, instead of starting them with it.")
    private boolean attach;

    /** Made by the command line. */
    public KafkaTable() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        NodeOptions.requireFailingDisk();
        kafka.describe(report);
        FailingDiskScene scene =
                new FailingDiskScene(layout, kafka.version(), kafka.java(layout), kafka.logs(), report);
        Result base = scene.play(Agent.NONE);
        Result agent = scene.play(attach ? Agent.ATTACHED : Agent.WITH_THE_JVM);
        report.table("Kafka " + kafka.version() + ", a disk of the leader fails", table(base, agent));
        judge(report, "", base, agent);
    }

    private static Table table(Result base, Result agent) {
        List<Outcome> outcomes = List.of(base.plaintext(), base.tls(), agent.plaintext(), agent.tls());
        Function<Function<Outcome, Object>, List<Object>> cells =
                cell -> outcomes.stream().map(cell).toList();
        return new Table(outcomes.stream()
                        .map(outcome -> (outcome.withAgent() ? "agent, " : "base, ") + outcome.transport())
                        .toList())
                .row("failing sendfile calls", cells.apply(outcome -> known(outcome.sendfile())))
                .row("failing pread64 calls", cells.apply(outcome -> known(outcome.pread())))
                .row("directory", cells.apply(outcome -> outcome.offline() ? "offline" : "online"))
                .row("leader afterwards", cells.apply(Outcome::leader))
                .row(
                        "records consumed, of " + FailingDiskScene.RECORDS,
                        cells.apply(outcome -> outcome.consumed().records()))
                .row("then", cells.apply(outcome -> end(outcome.consumed())))
                .row("wrong records", cells.apply(outcome -> outcome.consumed().wrong()))
                .row("first failed read to offline, ms", cells.apply(outcome -> known(outcome.millisToOffline())))
                .row("first failed read to new leader, ms", cells.apply(outcome -> known(outcome.millisToLeader())));
    }

    private static Object known(long value) {
        return value < 0 ? "-" : value;
    }

    private static String end(Consumed consumed) {
        return switch (consumed.end()) {
            case COMPLETE -> "complete";
            case STALLED -> "STALLS";
            case CORRUPT -> "CORRUPT";
        };
    }

    /** Claims what a table has to show; each claim begins with a prefix. */
    static void judge(Report report, String prefix, Result base, Result agent) {
        for (Outcome outcome : List.of(base.plaintext(), base.tls())) {
            String where = prefix + "without the agent, over " + outcome.transport() + ", ";
            report.claim(
                    outcome.consumed().end() != Consumed.End.COMPLETE, where + "the failing disk holds records back");
            report.claim(!outcome.offline(), where + "the directory stays online");
            report.claim(outcome.leader() == FailingDiskScene.LEADER, where + "the leader stays");
        }
        for (Outcome outcome : List.of(agent.plaintext(), agent.tls())) {
            String where = prefix + "with the agent, over " + outcome.transport() + ", ";
            report.claim(outcome.consumed().end() == Consumed.End.COMPLETE, where + "all records are consumed");
            report.claim(outcome.offline(), where + "the directory goes offline");
            report.claim(outcome.millisToOffline() >= 0, where + "the time to offline is known");
            report.claim(outcome.leader() > FailingDiskScene.LEADER, where + "the leader moves");
        }
        for (Outcome outcome : List.of(base.plaintext(), base.tls(), agent.plaintext(), agent.tls())) {
            String where =
                    (outcome.withAgent() ? "with" : "without") + " the agent, over " + outcome.transport() + ", ";
            report.claim(outcome.consumed().wrong() == 0, where + "no wrong record is delivered");
        }
        for (Result result : List.of(base, agent)) {
            String where = prefix + (result == base ? "without the agent, " : "with the agent, ");
            report.claim(result.healthy().isUnharmed(), where + "the healthy directory serves on: " + result.healthy());
            report.claim(!result.healthyOffline(), where + "the healthy directory stays online");
            report.claim(
                    result.healthyLeader() == FailingDiskScene.LEADER,
                    where + "the healthy partition keeps its leader");
            report.claim(result.accountsBalance(), where + "every failed send is accounted for");
        }
    }
}
