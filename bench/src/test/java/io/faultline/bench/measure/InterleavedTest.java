package io.faultline.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InterleavedTest {

    private final List<String> measured = new ArrayList<>();

    @Test
    void eachRoundMeasuresTheBaseTwiceAndEverySideOnceInAnOrderOfItsOwn() throws Exception {
        Rounds<String> rounds = Interleaved.of("base", () -> measure("base", 1))
                .with("other", () -> measure("other", 2))
                .run(0, 50);
        assertThat(rounds.of("base").values()).hasSize(50).containsOnly(1);
        assertThat(rounds.control().values()).hasSize(50).containsOnly(1);
        assertThat(rounds.of("other").values()).hasSize(50).containsOnly(2);
        HashSet<List<String>> orders = new HashSet<>();
        for (int round = 0; round < 50; round++) {
            List<String> order = measured.subList(3 * round, 3 * round + 3);
            assertThat(order).containsExactlyInAnyOrder("base", "base", "other");
            orders.add(order);
        }
        assertThat(orders).hasSize(3);
    }

    @Test
    void aControlOfItsOwnIsMeasuredInsteadOfTheBase() throws Exception {
        Rounds<String> rounds = Interleaved.ofAll("base", () -> Map.of("time", 1.0), () -> Map.of("time", 3.0))
                .withAll("other", () -> Map.of("time", 2.0))
                .run(0, 4);
        Comparison comparison = rounds.compare("other", "time");
        assertThat(comparison.base().values()).containsOnly(1);
        assertThat(comparison.control().values()).hasSize(4).containsOnly(3);
    }

    @Test
    void warmUpsDoNotCount() throws Exception {
        Rounds<String> rounds =
                Interleaved.of("base", () -> measure("base", measured.size())).run(2, 1);
        assertThat(rounds.of("base").values()[0] + rounds.control().values()[0]).isEqualTo(4 + 5);
    }

    @Test
    void aShortTimeStillGivesAnInterval() throws Exception {
        Rounds<String> rounds = Interleaved.of("base", () -> measure("base", 1)).runFor(0, Duration.ZERO);
        assertThat(rounds.of("base").medianInterval().high()).isFinite();
    }

    @Test
    void valuesThatAreMeasuredTogetherAreComparedEachByItself() throws Exception {
        Rounds<String> rounds = Interleaved.ofAll("base", () -> Map.of("time", 1.0, "memory", 10.0))
                .withAll("other", () -> Map.of("time", 2.0, "memory", 30.0))
                .run(1, 3);
        assertThat(rounds.count()).isEqualTo(3);
        assertThat(rounds.values()).containsExactlyInAnyOrder("time", "memory");
        assertThat(rounds.compare("other", "time").medians()).containsExactly(1.0, 1.0, 2.0);
        assertThat(rounds.compare("other", "memory").medians()).containsExactly(10.0, 10.0, 30.0);
    }

    private double measure(String side, double value) {
        measured.add(side);
        return value;
    }
}
