package io.faultline.bench.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.Layout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The alert rules by themselves: with series that are made up, by Prometheus' own tool. */
class AlertRulesIT {

    private static final Path ROOT = Layout.ofThisBuild().root();
    private static final Path RULES = ROOT.resolve("agent/src/main/operations/prometheus/faultline-alerts.yml");
    private static final Path CASES = ROOT.resolve("agent/src/test/prometheus/alerts-test.yml");

    @BeforeAll
    static void needsPromtool() {
        Tools.need("promtool", "prometheus");
    }

    @Test
    void theRulesAreWellFormed() throws Exception {
        assertThat(promtool("check", "rules", RULES.toString())).contains("SUCCESS: 10 rules found");
    }

    @Test
    void eachAlertFiresWhenItShouldAndOnlyThen() throws Exception {
        assertThat(promtool("test", "rules", CASES.toString())).contains("SUCCESS");
    }

    @Test
    void eachAlertHasACaseWhereItFiresAndOneWhereItDoesNot() throws IOException {
        String cases = Files.readString(CASES);
        for (String alert : alerts()) {
            String begin = "alertname: " + alert + "\\s+exp_alerts:";
            assertThat(cases)
                    .as(alert)
                    .containsPattern(begin + " \\[\\]")
                    .containsPattern(begin + "( &\\w+)?\\s+- exp_labels: \\{severity: (page|ticket),");
        }
    }

    @Test
    void theRunbookHasASectionForEachAlertAndTheAlertSaysSo() throws IOException {
        String runbook = Files.readString(ROOT.resolve("docs/runbook.md"));
        String rules = Files.readString(RULES);
        for (String alert : alerts()) {
            assertThat(runbook).contains("\n## " + alert + "\n");
            assertThat(rules).contains("runbook: 'docs/runbook.md#" + alert.toLowerCase(Locale.ROOT) + "'");
        }
    }

    private static List<String> alerts() throws IOException {
        List<String> alerts = Pattern.compile("- alert: (\\w+)")
                .matcher(Files.readString(RULES))
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
        assertThat(alerts).hasSize(10);
        return alerts;
    }

    private static String promtool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
