package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.agent.host.Content;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transfers over a plain socket, of files on a disk that really fails. */
@NeedsFailingDisk
class PlainTransferIT {

    private static final int SIZE = 1 << 20;
    private static final int BAD = 160 << 10;
    private static final String MEDIA_ERROR = "java.io.IOException: Input/output error";

    private static Path failing;
    private static Path directory;

    @TempDir
    private Path healthy;

    private HostJvm host;

    @BeforeAll
    static void poison(FailingDisk disk) throws IOException {
        directory = disk.directory();
        failing = Content.write(directory.resolve("segment"), SIZE);
        disk.poison(failing, BAD, 1);
    }

    @BeforeEach
    void start() {
        host = HostJvm.withAgent("mode=act");
        host.ask("subscribe");
    }

    @AfterEach
    void end() {
        host.close();
    }

    @Test
    void anUnreadableBlockIsTheDisksWithItsPositionAndTheCountThatWasAsked() {
        HostJvm.Sent sent = host.transfer("send", failing, BAD - 8192, 100_000);

        assertThat(sent).isEqualTo(new HostJvm.Sent(8192, MEDIA_ERROR));
        SeenVerdict verdict = host.awaitVerdict(1);
        assertThat(verdict.outcome()).isEqualTo("DISK READ_FAILED");
        assertThat(verdict.number("position")).isEqualTo(BAD);
        assertThat(verdict.number("count")).isEqualTo(100_000 - 8192);
        assertThat(verdict.number("unreadable")).isEqualTo(BAD);
        assertThat(verdict.get("hint")).isEqualTo("MEDIA_ERROR");
        assertThat(verdict.get("file")).isEqualTo(failing.toString());
        assertThat(verdict.get("directory")).isEqualTo(directory.toString());
        assertThat(verdict.get("file-system")).isEqualTo("btrfs");
    }

    @Test
    void aCountBeyondTheEndIsTheOneThatWasAttempted() {
        host.transfer("send", failing, BAD, Long.MAX_VALUE);

        SeenVerdict verdict = host.awaitVerdict(1);
        assertThat(verdict.outcome()).isEqualTo("DISK READ_FAILED");
        assertThat(verdict.number("count")).isEqualTo(SIZE - BAD);
        assertThat(verdict.number("unreadable")).isEqualTo(BAD);
    }

    @Test
    void aPeerThatResetsIsTheSockets() throws IOException {
        Path file = Content.write(healthy.resolve("segment"), SIZE);

        HostJvm.Sent sent = host.transfer("reset", file, 0, Long.MAX_VALUE);

        assertThat(sent.failure()).startsWith("java.io.IOException: ");
        SeenVerdict verdict = host.awaitVerdict(1);
        assertThat(verdict.outcome()).isEqualTo("SOCKET REGION_READABLE");
        assertThat(verdict.number("count")).isEqualTo(SIZE);
        assertThat(verdict.get("hint")).isIn("CONNECTION_RESET", "BROKEN_PIPE");
    }

    @Test
    void theCallerSeesTheFailureThatItWouldHaveSeenWithoutAnAgent() throws IOException {
        Path file = Content.write(healthy.resolve("segment"), SIZE);
        try (HostJvm bare = HostJvm.with().start()) {
            for (String how : new String[] {"send", "reset"}) {
                Path source = how.equals("send") ? failing : file;
                assertThat(host.transfer(how, source, BAD, SIZE)).isEqualTo(bare.transfer(how, source, BAD, SIZE));
            }
        }
    }

    @Test
    void aVerdictHoldsTheVeryExceptionThatTheCallerGot() {
        host.transfer("send", failing, BAD, 1);

        assertThat(host.awaitVerdict(1).get("same-failure")).isEqualTo("true");
    }

    @Test
    void aTransferIntoAnAppendedFileDoesNotBlindTheChecksBehindIt() {
        assertThat(host.transfer("append", healthy.resolve("appended"), 0, 0).failure())
                .isEmpty();

        host.transfer("send", failing, BAD - 4096, SIZE);

        SeenVerdict verdict = host.awaitVerdict(1);
        assertThat(verdict.outcome()).isEqualTo("DISK READ_FAILED");
        assertThat(verdict.number("unreadable")).isEqualTo(BAD);
    }

    @Test
    void aFileThatIsClosedWithItsFailedSendIsReadByItsName() throws IOException {
        Path file = Content.write(healthy.resolve("segment"), SIZE);

        host.transfer("send-and-close", failing, BAD, SIZE);
        SeenVerdict disk = host.awaitVerdict(1);
        host.transfer("reset-and-close", file, 0, SIZE);
        SeenVerdict client = host.awaitVerdict(2);

        assertThat(disk.outcome()).isEqualTo("DISK READ_FAILED_BY_PATH");
        assertThat(disk.number("unreadable")).isEqualTo(BAD);
        assertThat(client.outcome()).isEqualTo("SOCKET REGION_READABLE");
    }

    @Test
    void aHealthyTransferIsCountedAndNothingElse() throws IOException {
        Path file = Content.write(healthy.resolve("segment"), SIZE);

        assertThat(host.transfer("send", file, 0, SIZE)).isEqualTo(new HostJvm.Sent(SIZE, ""));

        assertThat(host.count("transfers.socket")).isPositive();
        assertThat(host.count("failures.socket")).isZero();
        assertThat(host.count("failures.other")).isZero();
        assertThat(host.count("handed-over")).isZero();
    }
}
