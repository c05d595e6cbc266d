package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Content;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the agent does as events of the flight recorder, which is the host's to start. */
class FlightRecorderIT {

    private static final int SIZE = 64 << 10;
    private static final int BAD = 32 << 10;

    @TempDir
    private Path folder;

    @Test
    @NeedsFailingDisk
    void aRecordingTellsHowAFailedTransferTookItsDirectoryOffline(FailingDisk disk) throws IOException {
        Path settings = Files.writeString(
                folder.resolve("faultline.jfc"),
                String.join("\n", AgentCommand.run("jfc").out()));
        Path file = Content.write(disk.directory().resolve("segment"), SIZE);
        disk.poison(file, BAD, 1);
        try (HostJvm host = HostJvm.withAgent("mode=act")) {
            host.ask("own", disk.directory());
            host.ask("jfr", settings);
            // The agent sees within a second that there is a recorder.
            await().atMost(HostJvm.PATIENCE)
                    .until(() -> host.ask("jfr-knows", "io.faultline.DirectoryOffline")
                            .equals("true"));

            host.transfer("send", file, 0, SIZE);
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(host.status())
                            .containsEntry("directory." + disk.directory() + ".offline", "by faultline"));
            host.ask("jfr-stop");

            assertThat(host.askList("jfr-events", "io.faultline.DirectoryOffline"))
                    .singleElement()
                    .asString()
                    .contains("directory=" + disk.directory(), "owner=host", "by=faultline");
            assertThat(host.askList("jfr-events", "io.faultline.FailedTransfer"))
                    .filteredOn(event -> event.contains("file=" + file + ";"))
                    .singleElement()
                    .asString()
                    .contains(
                            "transport=socket",
                            "failure=java.io.IOException: ",
                            "at=io.faultline.agent.host.Transfers.send");
            assertThat(host.askList("jfr-events", "io.faultline.Check"))
                    .filteredOn(event -> event.contains("file=" + file + ";"))
                    .singleElement()
                    .asString()
                    .contains("outcome=failed", "endedAt=" + BAD, "directory=" + disk.directory(), "at=io.faultline.");
            assertThat(host.askList("jfr-events", "io.faultline.Verdict"))
                    .filteredOn(event -> event.contains("file=" + file + ";"))
                    .singleElement()
                    .asString()
                    .contains("verdict=disk", "reason=read_failed", "action=fed", "unreadableAt=" + BAD);
        }
    }

    @Test
    void theAgentStartsNoRecorder() throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        try (HostJvm host = HostJvm.withAgent("mode=act")) {
            host.ask("subscribe");
            host.transfer("reset", file, 0, SIZE);
            host.awaitVerdict(1);

            assertThat(host.ask("jfr-initialised")).isEqualTo("false");
        }
    }
}
