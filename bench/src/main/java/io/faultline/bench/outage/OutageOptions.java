package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.kafka.KafkaRelease;
import io.faultline.bench.outage.OutageRun.Plan;
import io.faultline.bench.report.Report;
import io.faultline.bench.subject.ClientKind;
import io.faultline.bench.subject.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Who is put under outages, and before which brokers. */
final class OutageOptions {

    /** The brokers of a run. */
    enum Cluster {
        KAFKA,
        BROKER
    }

    @Option(
            names = "--scale",
            paramLabel = "FACTOR",
            defaultValue = "1",
            description = "Multiplies every time-out of the client (delivery: 30 s), and the length of an outage;"
                    + " ${DEFAULT-VALUE} by default.")
    private double scale;

    @Option(
            names = "--client",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "faultline",
            description =
                    "Which client, or clients one after the other: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
    private List<ClientKind> clients;

    @Option(
            names = "--cluster",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "kafka",
            description = "Three brokers of Apache Kafka, the bundled broker, or both: ${COMPLETION-CANDIDATES};"
                    + " ${DEFAULT-VALUE} by default.")
    private List<Cluster> clusters;

    @Mixin
    private KafkaRelease kafka;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "300",
            description = "Records per second; ${DEFAULT-VALUE} by default.")
    private double rate;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "For what is left to chance; ${DEFAULT-VALUE} by default.")
    private long seed;

    @Option(names = "--spool", description = "The bundled client has a spool: in no outage a record fails.")
    private boolean spool;

    @Option(
            names = "--recovery",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "Within so long after the heal everything has to go on; ${DEFAULT-VALUE} by default.")
    private double recovery;

    @Option(
            names = "--tick",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "So late a time-out may be; ${DEFAULT-VALUE} by default.")
    private double tick;

    double scale() {
        return scale;
    }

    void describe(Report report) {
        report.fact("scale", scale);
        report.fact("rate", rate);
        report.fact("seed", seed);
        report.fact("tick", tick);
        report.fact("recovery", recovery);
        report.say("seed %d", seed);
    }

    /** Each of the clients before each of the brokers. */
    List<Plan> plans(Layout layout, Scenario scenario, Duration length) {
        List<Plan> plans = new ArrayList<>();
        for (Cluster cluster : clusters) {
            for (ClientKind client : clients) {
                plans.add(new Plan(
                        scenario,
                        new Deployment(layout, cluster == Cluster.KAFKA ? kafka.version() : null),
                        client,
                        length,
                        rate,
                        spool && client == ClientKind.FAULTLINE,
                        new Timeouts(scale),
                        new Tolerance(seconds(tick), seconds(recovery)),
                        seed));
            }
        }
        return plans;
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis((long) (seconds * Duration.ofSeconds(1).toMillis()));
    }
}
