package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = " ")
    void withoutAnyTheDefaultsAreInForce(String arguments) {
        Options options = read(arguments);

        assertThat(options.errors()).isEmpty();
        assertThat(options.mode()).isEqualTo(Mode.ACT);
        assertThat(options.metricsPort()).isEqualTo(-1);
        assertThat(options.metricsHost()).isEqualTo("127.0.0.1");
        assertThat(options.log()).isNull();
        assertThat(options.actsOnLastDirectory()).isTrue();
        assertThat(options.roots()).isEmpty();
        assertThat(options.bytesPerSecond()).isEqualTo(64L << 20);
        assertThat(options.rehearses()).isFalse();
    }

    @Test
    void everyKeyCanBeGiven() {
        Options options = read(
                "mode=observe, metrics.port=9404 ,metrics.host=::1,log=/var/log/faultline.log,act.last-dir=observe,"
                        + "roots=/disk1:/disk2,check.rate=2,rehearse=on");

        assertThat(options.errors()).isEmpty();
        assertThat(options.mode()).isEqualTo(Mode.OBSERVE);
        assertThat(options.metricsPort()).isEqualTo(9404);
        assertThat(options.metricsHost()).isEqualTo("::1");
        assertThat(options.log()).isEqualTo(Path.of("/var/log/faultline.log"));
        assertThat(options.actsOnLastDirectory()).isFalse();
        assertThat(options.roots()).containsExactly("/disk1", "/disk2");
        assertThat(options.bytesPerSecond()).isEqualTo(2L << 20);
        assertThat(options.rehearses()).isTrue();
        assertThat(options.inForce())
                .containsEntry("mode", "observe")
                .containsEntry("metrics.port", "9404")
                .containsEntry("config", "");
    }

    @Test
    void theArgumentGoesBeforeThePropertyBeforeTheVariableBeforeTheFile() throws IOException {
        Path file = Files.writeString(
                folder.resolve("faultline.properties"), "mode=off\nmetrics.port=4\nact.last-dir=observe\ncheck.rate=4");

        Options options = Options.read(
                "mode=observe,config=" + file,
                Map.of("faultline.mode", "off", "faultline.metrics.port", "2"),
                Map.of(
                        "FAULTLINE_MODE",
                        "off",
                        "FAULTLINE_METRICS_PORT",
                        "3",
                        "FAULTLINE_ACT_LAST_DIR",
                        "act",
                        "PATH",
                        "/bin"));

        assertThat(options.errors()).isEmpty();
        assertThat(options.mode()).isEqualTo(Mode.OBSERVE);
        assertThat(options.metricsPort()).isEqualTo(2);
        assertThat(options.actsOnLastDirectory()).isTrue();
        assertThat(options.bytesPerSecond()).isEqualTo(4L << 20);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mode=kill",
                "mode=",
                "mode=ACT",
                "metrics.port=-1",
                "metrics.port=65536",
                "metrics.port=http",
                "metrics.host=",
                "log=",
                "act.last-dir=never",
                "check.rate=0",
                "check.rate=2000000",
                "rehearse=yes"
            })
    void aWrongValueIsOneLineWithKeyValueAndWhatIsAccepted(String pair) {
        Options options = read(pair);

        assertThat(options.errors())
                .singleElement()
                .asString()
                .startsWith(pair + ": accepted is ")
                .doesNotEndWith("is ");
        assertThat(options.inForce()).isEqualTo(read(null).inForce());
        assertThat(options.mode()).isEqualTo(Mode.OBSERVE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"moed=off", "mode", "=off", "faultline.mode=off"})
    void anUnknownKeyIsOneLineWithTheKeysThatThereAre(String pair) {
        Options options = read(pair);

        assertThat(options.errors())
                .singleElement()
                .asString()
                .contains(pair, "accepted keys are mode, metrics.port, ");
        assertThat(options.mode()).isEqualTo(Mode.OBSERVE);
    }

    @Test
    void unknownPropertiesAndVariablesOfOursAreNamedAndThoseOfOthersAreNot() {
        Options options = Options.read(
                null,
                Map.of("faultline.colour", "red", "java.home", "/x"),
                Map.of("FAULTLINE_COLOUR", "red", "HOME", "/"));

        assertThat(options.errors()).hasSize(2);
        assertThat(options.errors().get(0)).startsWith("system property colour=red: unknown key");
        assertThat(options.errors().get(1)).startsWith("environment variable FAULTLINE_COLOUR is none of Faultline's");
    }

    @Test
    void withAnErrorTheModeIsNoMoreThanObserveAndNoLessThanAsked() {
        assertThat(read("mode=act,check.rate=0").mode()).isEqualTo(Mode.OBSERVE);
        assertThat(read("mode=observe,check.rate=0").mode()).isEqualTo(Mode.OBSERVE);
        assertThat(read("mode=off,check.rate=0").mode()).isEqualTo(Mode.OFF);
    }

    @Test
    void aConfigFileThatIsNotThereIsOneLine() {
        Options options = read("config=" + folder.resolve("none"));

        assertThat(options.errors())
                .singleElement()
                .asString()
                .startsWith("config=" + folder.resolve("none") + " cannot be read")
                .endsWith("accepted: a properties file");
    }

    @Test
    void aConfigFileWithAMalformedEscapeIsOneLine() throws IOException {
        Path file = Files.writeString(folder.resolve("faultline.properties"), "log=\\u00zz");

        assertThat(read("config=" + file).errors()).singleElement().asString().contains("cannot be read");
    }

    @Test
    void wrongKeysInTheConfigFileAreNamed() throws IOException {
        Path file = Files.writeString(folder.resolve("faultline.properties"), "colour=red");

        assertThat(read("config=" + file).errors())
                .singleElement()
                .asString()
                .startsWith("config file colour=red: unknown key");
    }

    private static Options read(String arguments) {
        return Options.read(arguments, Map.of(), Map.of());
    }
}
