package io.faultline.bench.librdkafka;

import io.faultline.bench.Layout;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.KafkaRelease;
import io.faultline.bench.kafka.KafkaScripts;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.librdkafka.TestedBroker.Kind;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The integration tests of librdkafka, one after another, each on Apache Kafka and then on the bundled broker: what passes on the first
 * passes on the second. Tests about what the bundled broker does not claim to have are not run, and named with the reason.
 */
@Command(
        name = "librdkafka",
        description = {
            "librdkafka's own integration tests that Apache Kafka passes, the bundled broker passes",
            "It holds if each test that passes on Apache Kafka passes on the bundled broker."
        },
        mixinStandardHelpOptions = true)
public final class LibrdkafkaTests extends Experiment {

    @Mixin
    private KafkaRelease kafka;

    @Option(
            names = "--package",
            paramLabel = "VERSION",
            defaultValue = "1.10.1",
            description = "The npm package that librdkafka is taken from; ${DEFAULT-VALUE} by default.")
    private String npmPackage;

    @Option(
            names = "--tests",
            split = ",",
            paramLabel = "NAME",
            description = "Run those only whose names begin like that, such as 0011,0081_admin/do_test_ListOffsets.")
    private List<String> names = List.of();

    @Option(names = "--only", paramLabel = "kafka|broker", description = "Run them on one of the brokers only.")
    private Kind only;

    @Option(names = "--logs", paramLabel = "DIRECTORY", description = "Keep what the tests print there.")
    private Path logs;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Write list and result there.")
    private Path markdown;

    /** Made by the command line. */
    public LibrdkafkaTests() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        KafkaVersion version = kafka.version();
        LibrdkafkaSource source = LibrdkafkaSource.built(layout, npmPackage, report);
        kafka.describe(report);
        report.fact("librdkafka", source.version());
        report.fact("librdkafka built with", source.features());
        List<LibrdkafkaTest> wanted =
                source.list().stream().filter(this::isWanted).toList();
        if (wanted.isEmpty()) {
            throw new IllegalArgumentException("no test begins with " + names);
        }
        Results results = new Results();
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-librdkafka")) {
            Path scripts = KafkaScripts.in(folder.make("kafka"), layout, version);
            Path kept = logs == null
                    ? folder.make("logs")
                    : Files.createDirectories(logs).toRealPath();
            TestRunner runner = new TestRunner(source, version.text(), scripts, kept);
            Set<String> scenarios = new TreeSet<>();
            wanted.forEach(test -> scenarios.add(test.scenario()));
            for (String scenario : scenarios) {
                List<LibrdkafkaTest> tests = wanted.stream()
                        .filter(test -> test.scenario().equals(scenario))
                        .toList();
                runAll(tests, scenario, layout, version, runner, results, report);
            }
        }
        claim(results, report);
        if (markdown != null) {
            results.writeMarkdown(markdown, version.text(), source.version(), npmPackage);
        }
    }

    private boolean isWanted(LibrdkafkaTest test) {
        return names.isEmpty() || names.stream().anyMatch(test.title()::startsWith);
    }

    private List<Kind> kinds() {
        return only == null ? List.of(Kind.values()) : List.of(only);
    }

    private void runAll(
            List<LibrdkafkaTest> tests,
            String scenario,
            Layout layout,
            KafkaVersion version,
            TestRunner runner,
            Results results,
            Report report)
            throws Exception {
        List<TestedBroker> started = new ArrayList<>();
        try {
            Map<Kind, TestedBroker> brokers = new EnumMap<>(Kind.class);
            for (Kind kind : kinds()) {
                TestedBroker broker = TestedBroker.start(kind, layout, version, scenario);
                started.add(broker);
                brokers.put(kind, broker);
            }
            for (LibrdkafkaTest test : tests) {
                Optional<String> reason = Exceptions.reason(test);
                if (reason.isPresent()) {
                    results.except(test, reason.get());
                } else {
                    runOne(test, brokers, runner, results, report);
                }
            }
        } finally {
            for (TestedBroker broker : started) {
                broker.close();
            }
        }
    }

    private static void runOne(
            LibrdkafkaTest test, Map<Kind, TestedBroker> brokers, TestRunner runner, Results results, Report report)
            throws IOException, InterruptedException {
        for (Map.Entry<Kind, TestedBroker> broker : brokers.entrySet()) {
            Kind kind = broker.getKey();
            TestResult result = runner.run(
                    test,
                    kind.name().toLowerCase(Locale.ROOT),
                    broker.getValue().address());
            report.say(
                    "%-6s %s %s in %d s%s",
                    kind,
                    test,
                    result.outcome().word(),
                    result.seconds(),
                    result.reason().isEmpty() ? "" : ": " + result.reason());
            results.add(test, kind, result);
        }
    }

    private void claim(Results results, Report report) {
        Table table = results.table(kinds());
        report.table("librdkafka's tests", table);
        for (LibrdkafkaTest test : results.run()) {
            Optional<TestResult> onKafka = results.of(test, Kind.KAFKA);
            results.of(test, Kind.BROKER).ifPresent(own -> {
                boolean expected = onKafka.map(TestResult::passed).orElse(own.outcome() != TestResult.Outcome.SKIPPED);
                if (expected) {
                    report.claim(own.passed(), test + " passes on the bundled broker: " + own.reason());
                }
            });
        }
    }
}
