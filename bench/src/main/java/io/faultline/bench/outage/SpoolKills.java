package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.BrokerNetwork;
import io.faultline.bench.broker.Brokers;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.bench.subject.Payload;
import io.faultline.bench.subject.SpoolingProcess;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A producer with a spool is killed over and over, at any moment, while brokers are up, down and restarted. */
@Command(
        name = "spool-kills",
        description = {
            "a producer with a spool is killed at random points: what it accepted is in the log once, or undecided",
            "It holds if nothing that was accepted is neither in the log nor undecided, nothing is there twice, and order and bytes are as they were sent."
        },
        mixinStandardHelpOptions = true)
public final class SpoolKills extends Experiment {

    private static final String TOPIC = "spooled";
    private static final int PARTITIONS = 3;
    private static final int MOST_RECORDS = 1_500;
    private static final int MOST_MILLIS = 1_500;
    private static final double WHILE_STARTING = 0.25;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** What becomes of the brokers while a producer is at work. */
    private enum Weather {
        UP,
        KILLED,
        FROZEN,
        RESTARTED
    }

    @Option(
            names = "--kills",
            defaultValue = "100",
            description = "How often the producer is killed; ${DEFAULT-VALUE} by default.")
    private int kills;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "What happens when follows from this; ${DEFAULT-VALUE} by default.")
    private long seed;

    @Option(
            names = "--kafka",
            paramLabel = "VERSION",
            description = "Three brokers of this release of Apache Kafka instead of the bundled one.")
    private String kafka;

    private final Map<Weather, Integer> weathers = new EnumMap<>(Weather.class);
    private final Set<Payload> accepted = new HashSet<>();
    private final Set<Payload> undecided = new HashSet<>();
    private Weather weather = Weather.UP;
    private Layout layout;
    private TemporaryFolder folder;
    private Brokers brokers;

    /** Made by the command line. */
    public SpoolKills() {}

    @Override
    protected void run(Layout where, Report report) throws Exception {
        report.fact("kills", kills);
        report.fact("seed", seed);
        layout = where;
        Deployment deployment = new Deployment(layout, kafka == null ? null : KafkaVersion.of(kafka));
        report.fact("brokers", deployment.title());
        Random random = new Random(seed);
        try (TemporaryFolder made = TemporaryFolder.named("faultline-spool-kills")) {
            folder = made;
            brokers = deployment.start(BrokerNetwork.LOOPBACK, made.path(), List.of());
            try (Observer observer = new Observer(brokers.directBootstrap())) {
                observer.create(TOPIC, PARTITIONS, deployment.brokers(), deployment.topicConfiguration());
                for (int kill = 1; kill <= kills; kill++) {
                    kill(kill, random);
                    report.say("kill %d, brokers %s: %,d records accepted so far", kill, weather, accepted.size());
                }
                clear();
                deliverTheRest();
                conclude(report, LogContents.read(brokers.directBootstrap(), TOPIC, PARTITIONS));
            } finally {
                brokers.close();
            }
        }
    }

    /** Some are killed while they start and take over what the one before left, whatever brokers do; the others when they are at work. */
    private void kill(int number, Random random) throws Exception {
        boolean whileStarting = random.nextDouble() < WHILE_STARTING;
        int millis = random.nextInt(MOST_MILLIS);
        int records = 1 + random.nextInt(MOST_RECORDS);
        Weather next = Weather.values()[random.nextInt(Weather.values().length)];
        if (!whileStarting) {
            clear(); // it has to get to know its topic
        }
        SpoolingProcess producer = start(number, true);
        try {
            if (whileStarting) {
                TimeUnit.MILLISECONDS.sleep(millis);
            } else {
                producer.awaitAccepted(1, PATIENCE);
                turn(next);
                producer.awaitAccepted(records, PATIENCE);
            }
        } finally {
            producer.close();
            accepted.addAll(producer.accepted());
            undecided.addAll(producer.undecided());
        }
    }

    private SpoolingProcess start(int number, boolean sends) throws Exception {
        return new SpoolingProcess(
                layout, brokers.bootstrap(), folder.path().resolve("spool"), TOPIC, PARTITIONS, number, sends);
    }

    private void turn(Weather next) throws Exception {
        weathers.merge(next, 1, Integer::sum);
        weather = next;
        for (int id = 1; id <= brokers.count(); id++) {
            switch (next) {
                case KILLED -> brokers.kill(id);
                case FROZEN -> brokers.freeze(id);
                case RESTARTED -> {
                    brokers.stop(id);
                    brokers.start(id);
                }
                default -> {
                    // It goes on.
                }
            }
        }
    }

    private void clear() throws Exception {
        for (int id = 1; id <= brokers.count(); id++) {
            if (weather == Weather.KILLED) {
                brokers.start(id);
            } else if (weather == Weather.FROZEN) {
                brokers.thaw(id);
            }
        }
        if (weather != Weather.UP) {
            brokers.awaitAll();
        }
        weather = Weather.UP;
    }

    private void deliverTheRest() throws Exception {
        try (SpoolingProcess last = start(kills + 1, false)) {
            last.awaitDrained(PATIENCE);
            undecided.addAll(last.undecided());
        }
    }

    private void conclude(Report report, LogContents log) {
        Set<Payload> inLog = log.partitions().stream()
                .flatMap(partition -> partition.values().stream())
                .collect(Collectors.toSet());
        Set<Payload> missing = new HashSet<>(accepted);
        missing.removeAll(inLog);
        Set<Payload> lost = new HashSet<>(missing);
        lost.removeAll(undecided);
        long twice = log.records() - inLog.size();
        long disordered = 0;
        for (int sender = 1; sender <= kills; sender++) {
            disordered += log.reorderings(sender);
        }
        report.table(
                "Records of " + kills + " kills, brokers meanwhile " + weathers,
                new Table(List.of("accepted", "in the log", "undecided", "lost", "there twice", "out of order"))
                        .row(
                                "",
                                List.of(
                                        accepted.size(),
                                        log.records(),
                                        undecided.size(),
                                        lost.size(),
                                        twice,
                                        disordered)));
        report.claim(!accepted.isEmpty(), "something was accepted");
        report.claim(lost.isEmpty(), "what was accepted is in the log or undecided, not so: " + first(lost));
        report.claim(twice == 0, "nothing is in the log twice, not " + twice + " records");
        report.claim(disordered == 0, "the log has the order of sending, but for " + disordered + " records");
        report.claim(log.corrupt() == 0, "all bytes are as they were sent, but for " + log.corrupt() + " records");
    }

    private static String first(Set<Payload> some) {
        return some.size() + " records, such as " + some.stream().limit(5).toList();
    }
}
