package io.faultline.agent.status;

import static io.faultline.agent.status.Samples.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.classifier.OwnerAction;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeenFailuresTest {

    private final SeenFailures seen = new SeenFailures();

    @Test
    void theNewestComesFirst() {
        SeenFailure first = Samples.socket("/data/a/1", NOW);
        SeenFailure second = Samples.disk("/data/b/2", OwnerAction.FED, NOW.plusSeconds(1));
        see(first, second);

        assertThat(seen.latest()).containsExactly(second, first);
    }

    @Test
    void aStormOfClientsThatGoPushesOutNoFailureOfADisk() {
        SeenFailure disk = Samples.disk("/data/b/2", OwnerAction.FED, NOW);
        see(disk);
        for (int i = 0; i < 100_000; i++) {
            see(Samples.socket("/data/a/" + i, NOW.plusMillis(i)));
        }

        assertThat(seen.latest()).hasSize(11).contains(disk);
    }

    @Test
    void whatFailsInTheSamePlaceAgainIsRememberedOnce() {
        see(Samples.disk("/data/b/1", OwnerAction.OBSERVED, NOW));
        see(Samples.disk("/data/b/2", OwnerAction.OBSERVED, NOW.plusSeconds(1)));
        for (int i = 2; i < 1_000; i++) {
            see(Samples.disk("/data/b/1", OwnerAction.OBSERVED, NOW.plusSeconds(i)));
        }

        assertThat(seen.latest()).extracting(SeenFailure::times).containsExactly(999L, 1L);
        assertThat(seen.latest().get(0).at()).isEqualTo(NOW.plusSeconds(999));
    }

    @Test
    void theLastFailureOfADirectoryIsKeptThoughOthersFailOften() {
        SeenFailure kept = Samples.disk("/data/b/x", OwnerAction.FED, NOW);
        see(kept);
        for (int i = 0; i < 100; i++) {
            see(Samples.passing("/data/b/" + i, NOW.plusSeconds(i)));
        }

        assertThat(seen.lastIn("/data/b", Kind.DISK)).isEqualTo(kept);
        assertThat(seen.lastIn("/data/b", Kind.TRANSIENT).file()).isEqualTo("/data/b/99");
        assertThat(seen.lastIn("/data/a", Kind.DISK)).isNull();
    }

    @Test
    void aSuspectedTransientErrorIsOfItsOwnKindThoughTheVerdictIsAnother() {
        see(Samples.passing("/data/b/1", NOW));

        assertThat(seen.lastHour(NOW).sum(Kind.TRANSIENT)).isEqualTo(1);
        assertThat(seen.lastHour(NOW).sum(Kind.SOCKET)).isZero();
    }

    private void see(SeenFailure... failures) {
        List.of(failures).forEach(failure -> seen.see(failure, failure.at()));
    }
}
