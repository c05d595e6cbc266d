package io.faultline.bench.outage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Outcomes as Markdown: for each kind of brokers one table, the clients beside each other in each scenario. */
record OutageTables(List<Outcome> outcomes) {

    void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("# Outages");
        lines.add("");
        lines.add(
                "Written by `run outage`. What the columns and the numbers of the invariants mean is below the tables.");
        Map<String, List<Outcome>> byBrokers = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            byBrokers
                    .computeIfAbsent(outcome.plan().deployment().title(), any -> new ArrayList<>())
                    .add(outcome);
        }
        byBrokers.forEach((title, ofBrokers) -> table(title, ofBrokers, lines));
        lines.add("");
        lines.add("## The outages");
        lines.add("");
        for (Scenario scenario : Scenario.outages()) {
            lines.add("- **" + scenario + "**: " + scenario.description() + ".");
        }
        lines.add("");
        lines.add("## The invariants");
        lines.add("");
        outcomes.get(0).invariants().forEach(each -> lines.add(each.number() + ". " + each.text()));
        Files.write(file, lines);
    }

    private static void table(String title, List<Outcome> outcomes, List<String> lines) {
        Outcome first = outcomes.get(0);
        lines.add("");
        lines.add("## " + title);
        lines.add("");
        lines.add(String.format(
                "Outages of %d s, delivery.timeout.ms %,d, %.0f records per second.",
                first.plan().length().toSeconds(),
                first.plan().timeouts().delivery().toMillis(),
                first.plan().rate()));
        lines.add("");
        lines.add("| outage | client | " + String.join(" | ", Outcome.COLUMNS) + " |");
        lines.add("|---|---|" + "---|".repeat(Outcome.COLUMNS.size()));
        for (Outcome outcome : outcomes) {
            lines.add("| " + outcome.plan().scenario() + " | "
                    + outcome.plan().client().title() + " | " + String.join(" | ", outcome.cells()) + " |");
        }
    }
}
