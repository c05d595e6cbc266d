package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.classifier.OwnedDirectory;
import io.faultline.classifier.OwnerAction;
import java.util.List;
import org.junit.jupiter.api.Test;

class DirectoryWatchTest {

    private static final String DIRECTORY = "/data";

    private final DirectoryWatch watch = new DirectoryWatch();

    private DirectoryWatch.Looked look(boolean offline) {
        return watch.look(List.of(new OwnedDirectory(DIRECTORY, "server", offline)));
    }

    @Test
    void aDirectoryIsNewsOnce() {
        assertThat(look(false).found()).containsExactly(DIRECTORY);
        assertThat(look(false).found()).isEmpty();
        assertThat(watch.all()).containsExactly(new DirectoryWatch.Watched(DIRECTORY, "server", null, false));
    }

    @Test
    void whatFollowsAVerdictThatWasFedIsByFaultline() {
        look(false);
        watch.told(Verdicts.disk("server", DIRECTORY, OwnerAction.FED));
        assertThat(watch.isOffline(DIRECTORY, DirectoryWatch.By.FAULTLINE))
                .as("its owner does not say so yet")
                .isFalse();

        assertThat(look(true).wentOffline())
                .containsExactly(new DirectoryWatch.Watched(DIRECTORY, "server", DirectoryWatch.By.FAULTLINE, false));
        assertThat(look(true).wentOffline()).isEmpty();
        assertThat(watch.isOffline(DIRECTORY, DirectoryWatch.By.FAULTLINE)).isTrue();
        assertThat(watch.isOffline(DIRECTORY, DirectoryWatch.By.OWNER)).isFalse();
    }

    @Test
    void anythingElseIsByTheOwner() {
        look(false);

        assertThat(look(true).wentOffline())
                .extracting(DirectoryWatch.Watched::offlineBy)
                .containsExactly(DirectoryWatch.By.OWNER);
    }

    @Test
    void whatWasDoneBeforeADirectoryCameBackSaysNothingOfTheNextTime() {
        watch.told(Verdicts.disk("server", DIRECTORY, OwnerAction.FED));
        look(true);
        look(false);

        look(true);

        assertThat(watch.isOffline(DIRECTORY, DirectoryWatch.By.OWNER)).isTrue();
    }

    @Test
    void aVerdictThatWasHeldBackShowsUntilTheDirectoryIsOffline() {
        look(false);
        watch.told(Verdicts.disk("server", DIRECTORY, OwnerAction.LIMITED));
        assertThat(watch.wouldBeOffline(DIRECTORY)).isTrue();

        look(true);

        assertThat(watch.wouldBeOffline(DIRECTORY)).isFalse();
    }

    @Test
    void aDirectoryThatNobodyClaimsAnyMoreIsForgotten() {
        look(false);

        watch.look(List.of());

        assertThat(watch.all()).isEmpty();
        assertThat(look(false).found()).containsExactly(DIRECTORY);
    }
}
