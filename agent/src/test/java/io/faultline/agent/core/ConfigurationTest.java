package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationTest {

    @TempDir
    private Path folder;

    private Configuration of(Path file, String more) {
        return new Configuration("config=" + file + more, Map.of(), Map.of());
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("faultline.properties"), text);
    }

    @Test
    void aChangedFileIsTakenOverWithWhatItWasBefore() throws IOException {
        Path file = write("mode=observe");
        Configuration configuration = of(file, "");
        write("mode=act\ncheck.rate=3");

        Configuration.Look look = configuration.look();

        assertThat(look.errors()).isEmpty();
        assertThat(look.changes())
                .containsExactlyInAnyOrder(
                        new Change(Key.MODE, "observe", "act", Source.FILE, true),
                        new Change(Key.CHECK_RATE, "64", "3", Source.FILE, true));
        assertThat(configuration.options().mode()).isEqualTo(Mode.ACT);
        assertThat(configuration.options().bytesPerSecond()).isEqualTo(3L << 20);
    }

    @Test
    void theSameContentIsNoNews() throws IOException {
        Path file = write("mode=observe");
        Configuration configuration = of(file, "");
        write("mode=observe");

        assertThat(configuration.look()).isEqualTo(new Configuration.Look(List.of(), List.of()));
    }

    @Test
    void aKeyThatIsTakenOutHasItsDefaultAgain() throws IOException {
        Path file = write("check.rate=3");
        Configuration configuration = of(file, "");
        write("");

        assertThat(configuration.look().changes())
                .containsExactly(new Change(Key.CHECK_RATE, "3", "64", Source.DEFAULT, true));
    }

    @Test
    void linksThatAreSwappedAreAChange() throws IOException {
        Path first = Files.createDirectory(folder.resolve("..1"));
        Path second = Files.createDirectory(folder.resolve("..2"));
        Files.writeString(first.resolve("faultline.properties"), "mode=observe");
        Files.writeString(second.resolve("faultline.properties"), "mode=off");
        Path data = Files.createSymbolicLink(folder.resolve("..data"), first);
        Path file = Files.createSymbolicLink(folder.resolve("mounted"), data.resolve("faultline.properties"));
        Configuration configuration = of(file, "");

        Path swapped = Files.createSymbolicLink(folder.resolve("..data_tmp"), second);
        Files.move(swapped, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        configuration.look();

        assertThat(configuration.options().mode()).isEqualTo(Mode.OFF);
    }

    @Test
    void aBrokenFileKeepsWhatWasInForceAndIsSaidOnce() throws IOException {
        Path file = write("mode=observe\ncheck.rate=3");
        Configuration configuration = of(file, "");
        Instant success = configuration.lastSuccess();
        write("mode=act\ncheck.rate=fast");

        assertThat(configuration.look().errors())
                .containsExactly("check.rate=fast: accepted is MiB per second and directory, at least 1. "
                        + "What was in force stays so");
        assertThat(configuration.look().errors()).isEmpty();
        assertThat(configuration.options().mode())
                .as("none of a broken file is taken")
                .isEqualTo(Mode.OBSERVE);
        assertThat(configuration.lastSuccess()).isEqualTo(success);
    }

    @Test
    void aFileThatIsGoneKeepsWhatWasInForceAndIsSaidOnce() throws IOException {
        Path file = write("mode=observe");
        Configuration configuration = of(file, "");
        Files.delete(file);

        assertThat(configuration.look().errors())
                .containsExactly("config=" + file + " cannot be read (there is no such file); accepted: "
                        + "a properties file. What was in force stays so");
        assertThat(configuration.look().errors()).isEmpty();
        assertThat(configuration.options().mode()).isEqualTo(Mode.OBSERVE);
        write("mode=off");
        assertThat(configuration.look().changes()).hasSize(1);
    }

    @Test
    void aFileThatOthersMayWriteToIsRefused() throws IOException {
        Path file = write("mode=off");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));

        Options options = of(file, "").options();

        assertThat(options.errors())
                .singleElement()
                .asString()
                .startsWith("config=" + file + " cannot be read (others may write to it")
                .contains("chmod o-w");
        assertThat(options.mode()).isEqualTo(Mode.OBSERVE);
    }

    @Test
    void aFileThatOthersMayReplaceIsRefused() throws IOException {
        Path open = Files.createDirectory(folder.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path file = Files.writeString(open.resolve("faultline.properties"), "mode=off");

        assertThat(of(file, "").options().errors()).singleElement().asString().contains("others may replace it");
    }

    @Test
    void aFileBehindALinkThatOthersMayReplaceIsRefused() throws IOException {
        Path open = Files.createDirectory(folder.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path file = Files.createSymbolicLink(open.resolve("faultline.properties"), write("mode=off"));

        assertThat(of(file, "").options().errors()).singleElement().asString().contains("chmod o-w " + open);
    }

    @Test
    void whatTheArgumentSaysTheFileCannotChange() throws IOException {
        Path file = write("check.rate=3");
        Configuration configuration = of(file, ",mode=observe");
        write("mode=act");
        configuration.look();

        assertThat(configuration.options().setting(Key.MODE))
                .isEqualTo(new Options.Setting("observe", Source.ARGUMENT));
    }

    @Test
    void whatNeedsARestartIsToldAndNotTakenOver() throws IOException {
        Path file = write("metrics.port=1");
        Configuration configuration = of(file, "");
        write("metrics.port=2");

        assertThat(configuration.look().changes())
                .containsExactly(new Change(Key.METRICS_PORT, "1", "2", Source.FILE, false));
        assertThat(configuration.options().metricsPort()).isEqualTo(1);
    }

    @Test
    void aCommandHoldsUntilTheFileSaysSomethingElseOfThatKey() throws IOException {
        Path file = write("mode=observe");
        Configuration configuration = of(file, "");
        configuration.command(Key.MODE, "act", Source.COMMAND_LINE);
        assertThat(configuration.options().setting(Key.MODE))
                .isEqualTo(new Options.Setting("act", Source.COMMAND_LINE));

        write("mode=observe\ncheck.rate=3");
        configuration.look();
        assertThat(configuration.options().mode()).as("another key changed").isEqualTo(Mode.ACT);

        write("mode=off");
        configuration.look();
        assertThat(configuration.options().mode()).isEqualTo(Mode.OFF);
    }
}
