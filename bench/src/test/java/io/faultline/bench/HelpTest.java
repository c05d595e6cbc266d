package io.faultline.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.report.Experiment;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class HelpTest {

    static Stream<CommandSpec> experiments() {
        return Bench.commandLine().getSubcommands().get("run").getSubcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(spec -> spec.userObject() instanceof Experiment);
    }

    @ParameterizedTest
    @MethodSource("experiments")
    void eachExperimentSaysInALineWhatItIsAndThenWhenItHolds(CommandSpec experiment) {
        String[] description = experiment.usageMessage().description();
        assertThat(description[0]).as(experiment.name()).doesNotContain(". ").doesNotEndWith(".");
        assertThat(Arrays.stream(description).skip(1))
                .as(experiment.name())
                .anyMatch(line -> line.contains("It must reach: ") || line.contains("It holds if"));
    }
}
