package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineTest {

    @Test
    void keysOfTheCommandLineWinOverThoseOfTheFile(@TempDir Path scratch) throws IOException {
        Path file = Files.writeString(
                scratch.resolve("server.properties"), "# mine\nnode.id=3\nlog.dirs = /a,/b \nnum.partitions=2\n");
        CommandLine commandLine = CommandLine.parse(file.toString(), "--num.partitions=7");
        assertThat(commandLine.properties())
                .containsOnlyKeys("node.id", "log.dirs", "num.partitions")
                .containsEntry("log.dirs", "/a,/b")
                .containsEntry("num.partitions", "7");
    }

    @Test
    void valuesMayHoldEqualsSigns() {
        assertThat(CommandLine.parse("--ssl.key.password=a=b").properties()).containsEntry("ssl.key.password", "a=b");
    }

    @Test
    void theDirectoryOfGeneratedCertificatesIsNoKey() {
        CommandLine commandLine = CommandLine.parse("--generate-tls=/tls");
        assertThat(commandLine.generateTls()).isEqualTo(Path.of("/tls"));
        assertThat(commandLine.properties()).isEmpty();
    }

    @Test
    void whatIsNoOptionIsRefused() {
        for (String wrong : new String[] {"-x", "--flag", "--=v"}) {
            assertThat(CommandLine.parse(wrong).problems())
                    .singleElement()
                    .satisfies(problem -> assertThat(problem).contains(wrong, "--KEY=VALUE"));
        }
        assertThat(CommandLine.parse("-x", "-y", "--generate-tls=").problems()).hasSize(3);
        assertThatThrownBy(() -> CommandLine.parse("/no/such.properties"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("/no/such.properties does not exist");
    }

    @Test
    void helpWinsOverAllElse() {
        assertThat(CommandLine.parse("--node.id=1", "--help").help()).isTrue();
        assertThat(CommandLine.usage()).contains("faultline-broker ready:", "--generate-tls=DIR", "--log.dirs=");
    }
}
