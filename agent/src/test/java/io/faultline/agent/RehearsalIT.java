package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.agent.host.Content;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Failures that are rehearsed, on a machine whose disks are all healthy. */
class RehearsalIT {

    private static final int SIZE = 64 << 10;
    private static final int BAD = 20_480;
    private static final int BLOCK = 4096;

    @TempDir
    private Path folder;

    private HostJvm host;
    private Path file;

    @BeforeEach
    void start() throws IOException {
        file = Content.write(folder.resolve("segment"), SIZE);
        host = HostJvm.withAgent("rehearse=on");
        host.ask("subscribe");
    }

    @AfterEach
    void end() {
        host.close();
    }

    @Test
    void aTransferIsCutShortAndFailsAtTheRegionAndSoDoesTheCheck() {
        Finished rehearsed = AgentCommand.run("rehearse", host.pid(), file, BAD + 10, 100);
        assertThat(rehearsed.exit()).as("%s", rehearsed.err()).isZero();

        HostJvm.Sent sent = host.transfer("send", file, 0, SIZE);

        assertThat(sent).isEqualTo(new HostJvm.Sent(BAD, "java.io.IOException: Input/output error"));
        SeenVerdict verdict = host.awaitVerdict(1);
        assertThat(verdict.outcome()).isEqualTo("DISK READ_FAILED");
        assertThat(verdict.get("hint")).isEqualTo("MEDIA_ERROR");
        assertThat(verdict.number("position")).isEqualTo(BAD);
        assertThat(verdict.number("count")).isEqualTo(SIZE - BAD);
    }

    @Test
    void aClientThatLeavesBeforeABadRegionIsStillAClient() {
        host.control("rehearse\t" + file + "\t" + BAD + "\t100");

        host.transfer("reset", file, 0, SIZE);

        SeenVerdict verdict = host.awaitVerdict(1);
        assertThat(verdict.outcome()).isEqualTo("SOCKET REGION_READABLE");
        assertThat(verdict.number("count"))
                .as("what was cut out of the transfer")
                .isEqualTo(BAD);
    }

    @Test
    void whatIsHealedIsSentWhole() {
        host.control("rehearse\t" + file + "\t" + BAD + "\t100");
        assertThat(host.transfer("send", file, 0, SIZE).bytes()).isEqualTo(BAD);
        host.awaitVerdict(1);

        assertThat(AgentCommand.run("rehearse", host.pid(), "heal").out()).containsExactly("healed");

        assertThat(host.transfer("send", file, 0, SIZE)).isEqualTo(new HostJvm.Sent(SIZE, ""));
        assertThat(host.verdicts()).hasSize(1);
    }

    @Test
    void otherFilesAndOtherBlocksAreSentAsBefore() throws IOException {
        Path other = Content.write(folder.resolve("other"), SIZE);
        host.control("rehearse\t" + file + "\t" + BAD + "\t100");

        assertThat(host.transfer("send", other, 0, SIZE)).as("another file").isEqualTo(new HostJvm.Sent(SIZE, ""));

        assertThat(host.transfer("send", file, BAD + BLOCK, 1000).bytes()).isEqualTo(1000);
        assertThat(host.transfer("send", file, BAD + BLOCK - 1, 1).failure()).isNotEmpty();
    }

    @Test
    void detachingHeals() {
        host.control("rehearse\t" + file + "\t" + BAD + "\t100");

        assertThat(host.control("detach")).isEqualTo("ok detached");

        assertThat(host.transfer("send", file, 0, SIZE)).isEqualTo(new HostJvm.Sent(SIZE, ""));
    }

    @Test
    void aMalformedRehearsalIsRefused() {
        assertThat(host.control("rehearse\t" + file)).startsWith("error accepted: a file, a position and a count");
    }
}
