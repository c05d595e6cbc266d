package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Content;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Transfers through Kafka's own {@code SslTransportLayer}, over real TLS connections. It reads a file 32 KiB at a time, and swallows the failure of a
 * read behind a part that was sent.
 */
class TlsTransferIT {

    private static final int READ = 32 << 10;
    private static final int SIZE = 4 * READ;
    private static final String PASSWORD = "for-tests";

    @TempDir
    private static Path folder;

    private static Path keyStore;
    private static HostJvm host;

    private long endsBefore;
    private long failuresBefore;
    private int verdictsBefore;

    @BeforeAll
    static void start() {
        keyStore = folder.resolve("keys.p12");
        Finished made = Finished.run(
                TestJdk.tool("keytool"),
                "-genkeypair",
                "-keystore",
                keyStore.toString(),
                "-storepass",
                PASSWORD,
                "-keyalg",
                "EC",
                "-alias",
                "host",
                "-dname",
                "CN=localhost");
        assertThat(made.exit()).as("%s %s", made.out(), made.err()).isZero();
        host = HostJvm.with()
                .classPath(HostJar.kafka())
                .agent("mode=act")
                .start()
                .awaitAgent();
        host.ask("subscribe");
    }

    @AfterAll
    static void end() {
        host.close();
    }

    @BeforeEach
    void connect() {
        host.ask("tls-connect", keyStore, PASSWORD);
        endsBefore = host.count("ends-of-file.tls");
        failuresBefore = host.count("failures.tls");
        verdictsBefore = host.verdicts().size();
    }

    @Test
    void aWholeFileArrivesAsItIs() {
        script();

        assertThat(transfer(0)).isEqualTo(new HostJvm.Sent(SIZE, ""));

        awaitReceived(SIZE);
        assertThat(host.status()).containsEntry("woven.org.apache.kafka.common.network.SslTransportLayer", "true");
        assertNothingCounted();
    }

    @Test
    void aShortReadIsLeftAlone() {
        script("ok", "short", "short");

        assertThat(transfer(0).bytes()).isEqualTo(SIZE);

        awaitReceived(SIZE);
        assertNothingCounted();
    }

    @Test
    void aFileThatEndsEarlyIsCountedAndNoStaleByteFollows() {
        for (String outcome : new String[] {"nothing", "end"}) {
            host.ask("tls-connect", keyStore, PASSWORD);
            long counted = host.count("ends-of-file.tls");
            script("ok", "ok", outcome, "ok", outcome);

            assertThat(transfer(0)).isEqualTo(new HostJvm.Sent(READ, ""));
            assertThat(transfer(READ)).as("behind the end").isEqualTo(new HostJvm.Sent(0, ""));
            assertThat(host.count("ends-of-file.tls") - counted).isEqualTo(2);

            assertThat(transfer(READ)).as("when it has grown again").isEqualTo(new HostJvm.Sent(SIZE - READ, ""));
            awaitReceived(SIZE);
        }
        assertThat(host.count("failures.tls")).isEqualTo(failuresBefore);
        assertThat(host.verdicts()).hasSize(verdictsBefore);
    }

    @Test
    void aFileThatWasClosedIsNobodysFaultAndNoStaleByteFollows() {
        script("ok", "ok", "closed", "ok", "closed");

        assertThat(transfer(0)).isEqualTo(new HostJvm.Sent(READ, ""));
        assertThat(transfer(READ).failure()).isEqualTo("java.nio.channels.ClosedChannelException: null");

        assertThat(transfer(READ).bytes()).isEqualTo(SIZE - READ);
        awaitReceived(SIZE);
        assertNothingCounted();
    }

    @Test
    void aReadThatFailsIsTheDisksWithoutAnotherLookAndNoStaleByteFollows() {
        long readBefore = bytesReadAgain();
        script("ok", "ok", "the medium", "ok", "the medium again");

        assertThat(transfer(0)).as("swallowed").isEqualTo(new HostJvm.Sent(READ, ""));
        assertThat(transfer(READ).failure()).isEqualTo("java.io.IOException: the medium again");

        SeenVerdict verdict = host.awaitVerdict(verdictsBefore + 2);
        assertThat(verdict.outcome()).isEqualTo("DISK READ_FAILED_IN_TRANSFER");
        assertThat(verdict.number("position")).isEqualTo(READ);
        assertThat(verdict.number("count")).isEqualTo(READ);
        assertThat(verdict.number("unreadable")).isEqualTo(READ);
        assertThat(verdict.get("target")).isEqualTo("TLS");
        assertThat(verdict.get("failure")).isEqualTo("java.io.IOException: the medium again");
        assertThat(host.count("failures.tls") - failuresBefore).isEqualTo(2);
        assertThat(bytesReadAgain()).isEqualTo(readBefore);

        assertThat(transfer(READ).bytes()).as("when it reads again").isEqualTo(SIZE - READ);
        awaitReceived(SIZE);
    }

    @Test
    void aSizeThatCannotBeToldIsTheDisksToo() {
        script("ok", "ok", "the medium", "no size");

        assertThat(transfer(0).bytes()).isEqualTo(READ);
        assertThat(transfer(READ).failure()).isEqualTo("java.io.IOException: no size");

        SeenVerdict verdict = host.awaitVerdict(verdictsBefore + 2);
        assertThat(verdict.outcome()).isEqualTo("DISK READ_FAILED_IN_TRANSFER");
        assertThat(verdict.number("position")).isEqualTo(READ);
        assertThat(verdict.number("count")).isEqualTo(SIZE - READ);

        assertThat(transfer(READ).bytes()).isEqualTo(SIZE - READ);
        awaitReceived(SIZE);
    }

    @Test
    void aSizeOfAFileThatWasClosedIsNobodysFault() {
        script("closed");

        assertThat(transfer(0).failure()).isEqualTo("java.nio.channels.ClosedChannelException: null");

        assertThat(transfer(0).bytes()).isEqualTo(SIZE);
        awaitReceived(SIZE);
        assertNothingCounted();
    }

    @Test
    @NeedsFailingDisk
    void aMediaErrorThatIsHealedRightAfterIsTheDisksAllTheSame(FailingDisk disk) throws IOException {
        int bad = READ + 8192;
        Path file = Content.write(disk.directory().resolve("segment"), SIZE);
        disk.poison(file, bad, 1);
        host.ask("tls-file", file);

        assertThat(transfer(0)).isEqualTo(new HostJvm.Sent(bad, ""));
        assertThat(transfer(bad).failure()).isEqualTo("java.io.IOException: Input/output error");
        disk.heal(file, bad, 1);

        SeenVerdict verdict = host.awaitVerdict(verdictsBefore + 2);
        assertThat(verdict.outcome()).isEqualTo("DISK READ_FAILED_IN_TRANSFER");
        assertThat(verdict.number("unreadable")).isEqualTo(bad);
        assertThat(verdict.get("file")).isEqualTo(file.toString());
        assertThat(verdict.get("directory")).isEqualTo(disk.directory().toString());
        assertThat(host.count("directory." + disk.directory() + ".bytes-read")).isZero();

        assertThat(transfer(bad).bytes()).isEqualTo(SIZE - bad);
        awaitReceived(SIZE);
    }

    @Test
    void withoutTheAgentStaleBytesAreSent() {
        try (HostJvm bare = HostJvm.with().classPath(HostJar.kafka()).start()) {
            bare.ask("tls-connect", keyStore, PASSWORD);
            bare.ask("tls-script", SIZE, "ok", "ok", "the medium");

            bare.ask("tls-transfer", 0, SIZE);
            bare.ask("tls-transfer", READ, SIZE - READ);

            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(bare.askList("tls-received", 0))
                            .as("length, and the first byte that is not the file's")
                            .containsExactly(Integer.toString(SIZE), Integer.toString(READ)));
        }
    }

    private static void script(String... outcomes) {
        List<Object> request = new ArrayList<>(List.of("tls-script", SIZE));
        request.addAll(List.of(outcomes));
        host.ask(request.toArray());
    }

    /** Transfers all that is left of the file. */
    private static HostJvm.Sent transfer(long position) {
        String[] parts = host.ask("tls-transfer", position, SIZE - position).split("\t", -1);
        return new HostJvm.Sent(Long.parseLong(parts[0]), parts[1]);
    }

    private static void awaitReceived(int bytes) {
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(host.askList("tls-received", 0))
                        .as("length, and the first byte that is not the file's")
                        .containsExactly(Integer.toString(bytes), "-1"));
    }

    private static long bytesReadAgain() {
        return host.status().entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(".bytes-read"))
                .mapToLong(entry -> Long.parseLong(entry.getValue()))
                .sum();
    }

    private void assertNothingCounted() {
        assertThat(host.count("ends-of-file.tls")).isEqualTo(endsBefore);
        assertThat(host.count("failures.tls")).isEqualTo(failuresBefore);
        assertThat(host.verdicts()).hasSize(verdictsBefore);
    }
}
