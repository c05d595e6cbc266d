package io.faultline.bench.librdkafka;

import io.faultline.bench.librdkafka.TestResult.Outcome;
import io.faultline.bench.librdkafka.TestedBroker.Kind;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What came of the tests, on each broker. */
final class Results {

    private final Map<LibrdkafkaTest, Map<Kind, TestResult>> run = new LinkedHashMap<>();
    private final Map<LibrdkafkaTest, String> excepted = new LinkedHashMap<>();

    void add(LibrdkafkaTest test, Kind kind, TestResult result) {
        run.computeIfAbsent(test, key -> new EnumMap<>(Kind.class)).put(kind, result);
    }

    /** Notes that a test is not run. */
    void except(LibrdkafkaTest test, String reason) {
        excepted.put(test, reason);
    }

    /** The tests that were run, in their order. */
    Set<LibrdkafkaTest> run() {
        return run.keySet();
    }

    /** What came of a test on a broker; empty if it was not run there. */
    Optional<TestResult> of(LibrdkafkaTest test, Kind kind) {
        return Optional.ofNullable(run.getOrDefault(test, Map.of()).get(kind));
    }

    /** A row for each test, a column for each broker, and the reasons. */
    Table table(List<Kind> kinds) {
        List<String> columns = new ArrayList<>(kinds.stream().map(Results::name).toList());
        columns.add("why");
        Table table = new Table(columns);
        run.forEach((test, results) -> {
            List<String> cells = new ArrayList<>();
            kinds.forEach(kind -> cells.add(results.get(kind).outcome().word()));
            cells.add(why(results));
            table.row(test.title(), cells);
        });
        excepted.forEach((test, reason) -> {
            List<String> cells =
                    new ArrayList<>(kinds.stream().map(kind -> "not run").toList());
            cells.add(reason);
            table.row(test.title(), cells);
        });
        return table;
    }

    private static String name(Kind kind) {
        return kind == Kind.KAFKA ? "Apache Kafka" : "bundled broker";
    }

    /** Each reason once: mostly it is the same on both. */
    private static String why(Map<Kind, TestResult> results) {
        return results.values().stream()
                .map(TestResult::reason)
                .filter(reason -> !reason.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
    }

    /** Writes list and result as a document. */
    void writeMarkdown(Path file, String kafka, String librdkafka, String npmPackage) throws IOException {
        StringBuilder text = new StringBuilder();
        text.append("# librdkafka's integration tests\n\n");
        text.append("Made by `java -jar bench/target/faultline-bench.jar run librdkafka --markdown ")
                .append(file)
                .append("` on ")
                .append(LocalDate.now(ZoneOffset.UTC))
                .append(".\n\n");
        text.append("The tests of librdkafka ")
                .append(librdkafka)
                .append(" that need a broker (from the npm package `@confluentinc/kafka-javascript` ")
                .append(npmPackage)
                .append("), in quick mode, one at a time, each on Apache Kafka ")
                .append(kafka)
                .append(" (one node, KRaft, no authorizer) and then on the bundled broker.\n\n");
        count(text);
        List<String> different = run.keySet().stream()
                .filter(this::isDifferent)
                .map(LibrdkafkaTest::title)
                .toList();
        text.append("\n")
                .append(
                        different.isEmpty()
                                ? "Of the tests that were run, the bundled broker passes every one that Apache Kafka passes."
                                : "Apache Kafka passes, and the bundled broker does not: "
                                        + String.join(", ", different))
                .append("\n");
        text.append("\n| test | Apache Kafka ").append(kafka).append(" | bundled broker | why |\n|---|---|---|---|\n");
        run.forEach((test, results) -> text.append("| `")
                .append(test.title())
                .append("` | ")
                .append(word(results.get(Kind.KAFKA)))
                .append(" | ")
                .append(word(results.get(Kind.BROKER)))
                .append(" | ")
                .append(escaped(why(results)))
                .append(" |\n"));
        text.append("\nNot run, because they are about what the bundled broker does not claim to have:\n\n");
        text.append("| test | what it is about |\n|---|---|\n");
        excepted.forEach((test, reason) -> text.append("| `")
                .append(test.title())
                .append("` | ")
                .append(reason)
                .append(" |\n"));
        Files.writeString(file, text.toString());
    }

    private boolean isDifferent(LibrdkafkaTest test) {
        return of(test, Kind.KAFKA).filter(TestResult::passed).isPresent()
                && of(test, Kind.BROKER).filter(TestResult::passed).isEmpty();
    }

    private void count(StringBuilder text) {
        for (Kind kind : Kind.values()) {
            Map<Outcome, Long> counts = run.keySet().stream()
                    .flatMap(test -> of(test, kind).stream())
                    .collect(Collectors.groupingBy(
                            TestResult::outcome, () -> new EnumMap<>(Outcome.class), Collectors.counting()));
            text.append("- ")
                    .append(name(kind))
                    .append(": ")
                    .append(counts.entrySet().stream()
                            .map(entry ->
                                    entry.getValue() + " " + entry.getKey().word())
                            .collect(Collectors.joining(", ")))
                    .append("\n");
        }
        text.append("- not run: ").append(excepted.size()).append("\n");
    }

    private static String word(TestResult result) {
        return result == null ? "" : result.outcome().word();
    }

    private static String escaped(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;");
    }
}
