package io.faultline.agent.status;

import static io.faultline.agent.status.Samples.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.agent.status.Directory.State;
import io.faultline.agent.status.Headline.Level;
import io.faultline.classifier.OwnerAction;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The worst comes first, and in one sentence. */
class HeadlineTest {

    private static final Directory ONLINE = Samples.directory("/data/a", State.ONLINE, null);
    private static final SeenFailure FED = Samples.disk("/data/b/t-0/1.log", OwnerAction.FED, NOW.minusSeconds(180));

    @Test
    void aDirectoryOfflineIsTheWorst() {
        Headline headline = of(
                "act",
                false,
                3,
                Samples.directory("/data/b", State.OFFLINE, FED),
                Samples.directory("/data/c", State.FAILING, null),
                ONLINE);

        assertThat(headline.level()).isEqualTo(Level.ALARM);
        assertThat(headline.sentence()).isEqualTo("1 of 3 log directories is offline");
        assertThat(headline.details().get(0))
                .isEqualTo(
                        "/data/b on /dev/sdc1 was taken offline by Faultline: t-0/1.log is unreadable at 20480, 3 min ago");
        assertThat(headline.details()).anyMatch(detail -> detail.startsWith("Not woven"));
    }

    @Test
    void aFailureThatTheLimitHeldBackIsForThePager() {
        SeenFailure limited = Samples.disk("/data/b/1", OwnerAction.LIMITED, NOW);
        assertThat(of("act", true, 0, Samples.directory("/data/b", State.FAILING, limited))
                        .next())
                .endsWith("Runbook: FaultlineActionFailedOrLimited.");
    }

    @Test
    void aFailureThatWasOnlyObservedIsForTheOperator() {
        SeenFailure observed = Samples.disk("/data/b/1", OwnerAction.OBSERVED, NOW);
        Headline headline = of("observe", true, 0, Samples.directory("/data/b", State.FAILING, observed));
        assertThat(headline.sentence()).isEqualTo("A disk failed, nothing was taken offline");
        assertThat(headline.next()).endsWith("Runbook: FaultlineWouldOffline.");
    }

    @Test
    void aTransientErrorIsForTheMorning() {
        SeenFailure passing = Samples.passing("/data/b/t-0/1.log", NOW.minusSeconds(5));
        Headline headline = of("act", true, 0, Samples.directory("/data/b", State.SUSPECT, passing));
        assertThat(headline.level()).isEqualTo(Level.WARNING);
        assertThat(headline.details())
                .containsExactly("/data/b on /dev/sdc1: a media error 5 s ago in t-0/1.log, readable again since");
    }

    @Test
    void whatIsNotWovenSeesNothing() {
        Headline headline = of("act", false, 0, ONLINE);
        assertThat(headline.level()).isEqualTo(Level.WARNING);
        assertThat(headline.details()).containsExactly("Not woven: failures go unseen. some.Class");
    }

    @Test
    void whatIsOffIsNoFault() {
        assertThat(of("off", false, 0, ONLINE).level()).isEqualTo(Level.OFF);
    }

    @Test
    void manyDetailsAreCutShort() {
        Directory[] all = new Directory[12];
        for (int i = 0; i < all.length; i++) {
            all[i] = Samples.directory("/data/" + i, State.OFFLINE, FED);
        }
        Headline headline = of("act", true, 0, all);
        assertThat(headline.sentence()).isEqualTo("12 of 12 log directories are offline");
        assertThat(headline.details()).hasSize(5).endsWith("and 8 more below");
    }

    @Test
    void nothingIsFine() {
        assertThat(of("act", true, 0, ONLINE).details()).containsExactly("The log directory is online.");
        assertThat(of("act", true, 0, ONLINE, ONLINE).details()).containsExactly("All 2 log directories are online.");
        assertThat(of("act", true, 0).details()).containsExactly("No log directory is known yet.");
    }

    private static Headline of(String mode, boolean isReady, long errors, Directory... directories) {
        return Headline.of(Samples.snapshot(mode, isReady, errors, List.of(directories), List.of()));
    }
}
