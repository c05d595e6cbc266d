package io.faultline.bench.suite;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The figures of a directory of results, as a table of a Markdown document.
 *
 * @param results the results by the names of their experiments, in their order
 */
record FiguresTable(Map<String, Map<String, Object>> results) {

    static final String BEGIN = "<!-- figures: written by the command figures, not by hand -->";
    static final String END = "<!-- end of figures -->";
    private static final String SUFFIX = ".json";
    private static final int LENGTH_OF_DATE = 10;

    /** Reads all results that are there. */
    static FiguresTable of(Path directory) throws IOException {
        Map<String, Map<String, Object>> results = new LinkedHashMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(path -> path.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList()) {
                Map<String, Object> result = JSON.std.mapFrom(Files.readString(file));
                results.put((String) result.get("experiment"), result);
            }
        }
        return new FiguresTable(results);
    }

    /**
     * Puts the table between the two markers of a document.
     *
     * @throws IOException if the document lacks them
     */
    String putInto(String document) throws IOException {
        int begin = document.indexOf(BEGIN);
        int end = document.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException("the document has no line '" + BEGIN + "' with a line '" + END + "' behind it");
        }
        return document.substring(0, begin + BEGIN.length()) + "\n" + markdown() + document.substring(end);
    }

    private String markdown() {
        StringBuilder text = new StringBuilder("\n" + circumstances() + "\n\n");
        text.append("| what | target | result | 95 % interval | outcome |\n|---|---|---|---|---|\n");
        StringBuilder open = new StringBuilder();
        results.forEach((experiment, result) -> {
            List<Row> rows = Row.of(result);
            rows.stream().filter(row -> !row.isOpen()).forEach(row -> text.append(line(experiment, row)));
            open.append(
                    notResolvable(experiment, rows.stream().filter(Row::isOpen).toList()));
        });
        if (!open.isEmpty()) {
            text.append("\nNot resolvable on that machine, since the interval holds the target:\n\n")
                    .append(open);
        }
        return text.append('\n').toString();
    }

    private static String line(String experiment, Row row) {
        String outcome = row.outcome().equals(Row.MISSED) ? "**missed**" : row.outcome();
        return "| `" + experiment + "`: "
                + Stream.of(row.name(), row.target(), row.result(), row.interval(), outcome)
                        .map(cell -> cell.replace("|", "\\|"))
                        .collect(Collectors.joining(" | "))
                + " |\n";
    }

    /** Comparisons that have no outcome are many where the target is strict; they are told of, but are no table. */
    private static String notResolvable(String experiment, List<Row> rows) {
        if (rows.isEmpty()) {
            return "";
        }
        Map<String, String> byTarget = new LinkedHashMap<>();
        rows.forEach(row -> byTarget.merge(
                row.target(),
                row.name() + " " + row.result() + " " + row.interval(),
                (before, more) -> before + "; " + more));
        return byTarget.entrySet().stream()
                .map(each -> "- `" + experiment + "`, " + each.getKey() + ": " + each.getValue() + "\n")
                .collect(Collectors.joining());
    }

    /** Under which circumstances they came about; several where results differ in them. */
    private String circumstances() {
        return "Measured on " + all("processor") + ", " + all("processors") + " processors, " + all("memory, MiB")
                + " MiB of memory, " + all("os") + ", Java " + all("java") + ", "
                + each("date").stream()
                        .map(date -> date.substring(0, LENGTH_OF_DATE))
                        .distinct()
                        .collect(Collectors.joining(", "))
                + ".";
    }

    private String all(String fact) {
        return String.join(", ", each(fact));
    }

    private Set<String> each(String fact) {
        Set<String> values = new LinkedHashSet<>();
        for (Map<String, Object> result : results.values()) {
            values.add(String.valueOf(((Map<?, ?>) result.get("facts")).get(fact)));
        }
        return values;
    }

    /** The experiments that have results. */
    List<String> experiments() {
        return List.copyOf(results.keySet());
    }
}
