package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the agent would do, before it does anything. */
class DryRunIT {

    @TempDir
    private Path folder;

    @Test
    void aProcessIsLookedAtAndLeftAsItWas() {
        try (HostJvm host = HostJvm.with().start()) {
            host.ask("own", folder);
            host.ask("load", "sun.nio.ch.FileChannelImpl");

            Finished check = AgentCommand.run("check", host.pid(), "mode=act,observe.dirs=" + folder);

            assertThat(check.exit()).as("%s %s", check.out(), check.err()).isZero();
            assertThat(check.out())
                    .contains(
                            "attached=no",
                            "mode=act",
                            "weaves.sun.nio.ch.FileChannelImpl=now",
                            "weaves.org.apache.kafka.common.network.SslTransportLayer=once it is loaded",
                            "directory." + folder + ".owner=host",
                            "directory." + folder + ".offline=no",
                            "directory." + folder + ".mode=observe, observe.dirs=" + folder)
                    .anyMatch(line -> line.startsWith("directory." + folder + ".device="));
            assertThat(host.askList("visible", "java.nio.channels.FaultlineHook"))
                    .as("nothing was woven")
                    .isEmpty();
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(host.askList("threads")).isEmpty());
            assertThat(host.socket()).doesNotExist();
            assertThat(AgentCommand.run("attach", host.pid()).exit())
                    .as("behind it")
                    .isZero();
        }
    }

    @Test
    void anAttachedAgentAnswersByItself() {
        try (HostJvm host = HostJvm.withAgent("mode=observe")) {
            assertThat(AgentCommand.run("check", host.pid()).out()).contains("attached=yes", "mode=observe");
        }
    }

    @Test
    void problemsAreNamedAndGiveTheExitCode() throws Exception {
        try (HostJvm host = HostJvm.with().start()) {
            host.ask("own", folder);

            Finished check =
                    AgentCommand.run("check", host.pid(), "check.rate=0,audit.file=" + folder.resolve("audit"));

            assertThat(check.exit()).isEqualTo(1);
            assertThat(check.out())
                    .contains(
                            "problem=check.rate=0: accepted is MiB per second and directory, at least 1",
                            "problem=audit.file=" + folder.resolve("audit") + " lies in " + folder
                                    + ", whose disk is watched");
            assertThat(Files.list(folder)).as("nothing is written").isEmpty();
        }
    }

    @Test
    void optionsAloneCanBeChecked() {
        Finished wrong = AgentCommand.run("check", "mode=acting,config=" + folder.resolve("none"));
        Finished right = AgentCommand.run("check", "mode=observe");

        assertThat(wrong.exit()).isEqualTo(1);
        assertThat(wrong.out())
                .contains("problem=mode=acting: accepted is act, observe or off")
                .anyMatch(line -> line.startsWith("problem=config=" + folder.resolve("none") + " cannot be read"));
        assertThat(right.exit()).isZero();
        assertThat(right.out()).contains("mode=observe", "source.mode=agent argument");
    }

    @Test
    void helpListsEveryKeyWithItsDefaultAndWhetherItCanChange() {
        Finished help = AgentCommand.run("help");

        assertThat(help.exit()).isZero();
        assertThat(help.out())
                .contains(
                        "* mode (default: act)",
                        "* act.max.directories (default: 1)",
                        "  metrics.port (default: unset)",
                        "  audit.file (default: unset)");
    }
}
