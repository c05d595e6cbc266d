package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code java -jar faultline-agent.jar}, as a person uses and misuses it. */
class CommandLineIT {

    private static HostJvm host;

    @BeforeAll
    static void start() {
        host = HostJvm.withAgent("mode=observe");
    }

    @AfterAll
    static void end() {
        host.close();
    }

    @Test
    void helpNamesEveryCommand() {
        Finished help = AgentCommand.run("--help");

        assertThat(help.exit()).isZero();
        assertThat(String.join("\n", help.out()))
                .contains("java -jar faultline-agent.jar", "attach", "status", "mode", "detach", "list", "rehearse");
    }

    @Test
    void theVersionIsThatOfTheJar() {
        assertThat(AgentCommand.run("--version").out()).containsExactly("Faultline " + AgentJar.version());
        assertThat(AgentCommand.run("attach", "--version").out()).containsExactly("Faultline " + AgentJar.version());
    }

    @Test
    void withoutACommandTheUsageIsShownAndTheExitCodeSaysSo() {
        Finished nothing = AgentCommand.run();

        assertThat(nothing.exit()).isEqualTo(2);
        assertThat(nothing.out()).isEmpty();
        assertThat(String.join("\n", nothing.err())).contains("Usage: java -jar faultline-agent.jar");
    }

    @Test
    void wrongUseIsNamed() {
        assertFails(2, List.of("attach"), "PID");
        assertFails(2, List.of("attach", "abc"), "abc");
        assertFails(2, List.of("no-such-command"), "no-such-command");
    }

    @Test
    void aProcessThatIsNotThereIsNamed() {
        String nobody = "999999999";
        assertFails(1, List.of("attach", nobody), nobody);
        assertFails(1, List.of("status", nobody), "no Faultline agent answers in process " + nobody);
        assertFails(1, List.of("detach", nobody), "no Faultline agent answers in process " + nobody);
    }

    @Test
    void aModeThatDoesNotExistIsRefusedWithThoseThatDo() {
        assertFails(1, List.of("mode", host.pid(), "kill"), "kill", "act, observe, off");

        assertThat(host.status()).containsEntry("mode", "observe");
    }

    @Test
    void statusSaysWhatIsInForce() {
        Finished status = AgentCommand.run("status", host.pid());

        assertThat(status.exit()).isZero();
        assertThat(status.out())
                .contains(
                        "version=" + AgentJar.version(),
                        "mode=observe",
                        "woven.sun.nio.ch.FileChannelImpl=true",
                        "option.metrics.host=127.0.0.1",
                        "handed-over=0",
                        "errors=0");
    }

    @Test
    void listNamesTheProcessesThatHaveAnAgent() {
        try (HostJvm without = HostJvm.with().start()) {
            without.ask("threads");

            Finished list = AgentCommand.run("list");

            assertThat(list.exit()).isZero();
            assertThat(list.out())
                    .contains(host.pid() + " " + AgentJar.version() + " observe")
                    .noneMatch(line -> line.startsWith(without.pid() + " "));
        }
    }

    @Test
    void aRehearsalIsRefusedWhereItWasNotAskedFor() {
        assertFails(1, List.of("rehearse", host.pid(), "/some/file", 0, 1), "rehearse=on");
    }

    private static void assertFails(int exit, List<Object> arguments, String... named) {
        Finished failed = AgentCommand.run(arguments.toArray());
        assertThat(failed.exit()).as("%s", arguments).isEqualTo(exit);
        assertThat(failed.out()).isEmpty();
        assertThat(String.join("\n", failed.err())).contains(named).doesNotContain("Exception");
    }
}
