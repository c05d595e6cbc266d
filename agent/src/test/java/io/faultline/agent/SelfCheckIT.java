package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** An agent whose weaving does not take says so. */
class SelfCheckIT {

    private static final String FAILED =
            "SELF-CHECK FAILED, failures may go unseen: the weaving did not take: a failed transfer was not seen";

    /** The agent that was loaded later has the last word on the bytes of a class. */
    @Test
    void anotherAgentThatTakesTheWeavingOutIsNoticedWhenTheModeChanges() {
        try (HostJvm host =
                HostJvm.with().agent("mode=off").byteCapture().start().awaitAgent()) {
            host.ask("strip", "sun.nio.ch.FileChannelImpl");

            assertThat(host.control("mode\tact")).isEqualTo("error mode act, but the self-check failed; see the log");

            assertThat(host.awaitErrorLine(line -> line.contains("SELF-CHECK"))).endsWith("mode act. " + FAILED);
            assertThat(host.count("errors")).isEqualTo(1);
        }
    }

    @Test
    void aWeavingThatTookIsSaidInOneLine() {
        try (HostJvm host = HostJvm.withAgent("")) {
            assertThat(host.errorLines())
                    .singleElement()
                    .asString()
                    .matches(".* Faultline: .*: mode act, woven \\d+ ms after loading");
        }
    }

    @Test
    void anAgentThatIsOffSaysThatNothingIsWoven() {
        try (HostJvm host = HostJvm.withAgent("mode=off")) {
            assertThat(host.errorLines()).singleElement().asString().endsWith(": mode off, nothing is woven");
        }
    }
}
