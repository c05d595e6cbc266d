package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.classifier.Classification;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ActionLimitsTest {

    private final Server server = new Server("server", "/data/a", "/data/b", "/data/c");
    private Mode mode = Mode.ACT;
    private Options options = options("");

    private final ActionLimits limits =
            new ActionLimits(() -> mode, () -> options, directory -> directory.equals("/data/b"));

    private static Options options(String arguments) {
        Options read = Options.read(arguments, Map.of(), Map.of());
        assertThat(read.errors()).isEmpty();
        return read;
    }

    @Test
    void oneDirectoryGoesAndTheNextIsLimited() {
        assertThat(limits.permit(server, "/data/a")).isEqualTo(OwnerAction.FED);
        assertThat(limits.permit(server, "/data/b")).isEqualTo(OwnerAction.LIMITED);
        assertThat(limits.permit(new Server("another", "/data/d"), "/data/d")).isEqualTo(OwnerAction.LIMITED);
        assertThat(limits.permit(server, "/data/a")).as("the same again").isEqualTo(OwnerAction.FED);
    }

    @Test
    void asManyGoAsTheOperatorSays() {
        options = options("act.max.directories=2");

        assertThat(limits.permit(server, "/data/a")).isEqualTo(OwnerAction.FED);
        assertThat(limits.permit(server, "/data/b")).isEqualTo(OwnerAction.FED);
        assertThat(limits.permit(server, "/data/c")).isEqualTo(OwnerAction.LIMITED);
    }

    @Test
    void aPermitThatTheOwnerHadNoUseForIsGivenBack() {
        limits.permit(server, "/data/a");
        limits.told(Verdicts.disk("server", "/data/a", OwnerAction.ALREADY));

        assertThat(limits.permit(server, "/data/b")).isEqualTo(OwnerAction.FED);
    }

    @Test
    void aPermitThatWasUsedCountsThoughTheOwnerIsToldAgain() {
        limits.permit(server, "/data/a");
        limits.told(Verdicts.disk("server", "/data/a", OwnerAction.FED));
        limits.told(Verdicts.disk("server", "/data/a", OwnerAction.ALREADY));

        assertThat(limits.permit(server, "/data/b")).isEqualTo(OwnerAction.LIMITED);
    }

    @Test
    void aPermitOfAnOwnerThatDidNotAnswerCounts() {
        limits.permit(server, "/data/a");
        limits.told(Verdicts.disk("server", "/data/a", OwnerAction.ERROR));

        assertThat(limits.permit(server, "/data/b")).isEqualTo(OwnerAction.LIMITED);
    }

    @ParameterizedTest
    @CsvSource({
        "observe.dirs=/data/a, /data/a, OBSERVED",
        "observe.dirs=/data/a, /data/b, FED",
        "observe.dirs=/data/*, /data/b, OBSERVED",
        "observe.dirs=/x:/data/{a}, /data/a, OBSERVED",
        "act.dirs=/data/a, /data/a, FED",
        "act.dirs=/data/a, /data/b, OBSERVED",
        "act.metadata-dir=observe, /data/b, OBSERVED",
        "act.metadata-dir=observe, /data/a, FED"
    })
    void theModeCanBeLowerForADirectory(String given, String directory, OwnerAction action) {
        options = options(given);

        assertThat(limits.permit(server, directory)).isEqualTo(action);
    }

    @Test
    void aDirectorysModeIsNeverHigherThanTheAgents() {
        mode = Mode.OBSERVE;
        options = options("act.dirs=/data/a");

        assertThat(limits.permit(server, "/data/a")).isEqualTo(OwnerAction.OBSERVED);
    }

    @Test
    void theLastDirectoryIsObservedIfTheOperatorSaysSo() {
        options = options("act.last-dir=observe,act.max.directories=9");
        server.offline.add("/data/c");

        assertThat(limits.permit(server, "/data/a")).isEqualTo(OwnerAction.FED);
        assertThat(limits.permit(server, "/data/b")).as("a is going").isEqualTo(OwnerAction.OBSERVED);
        assertThat(limits.reasonOf(Verdicts.disk("server", "/data/b", OwnerAction.OBSERVED)))
                .isEqualTo("act.last-dir=observe");
    }

    @Test
    void theReasonIsToldAsTheOptionThatGivesIt() {
        limits.permit(server, "/data/a");
        limits.permit(server, "/data/b");

        Classification verdict = Verdicts.disk("server", "/data/b", OwnerAction.LIMITED);
        assertThat(limits.reasonOf(verdict)).isEqualTo("act.max.directories=1 within act.window=1h");
    }

    private static final class Server implements LogDirOwner {

        private final String name;
        private final List<String> directories;
        private final Set<String> offline = new HashSet<>();

        private Server(String name, String... directories) {
            this.name = name;
            this.directories = List.of(directories);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Collection<String> directories() {
            return directories;
        }

        @Override
        public boolean isOffline(String directory) {
            return offline.contains(directory);
        }

        @Override
        public OwnerAction takeOffline(String directory, Classification why) {
            throw new UnsupportedOperationException();
        }
    }
}
