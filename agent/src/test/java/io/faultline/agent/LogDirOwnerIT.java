package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Content;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A host that claims two log directories on a failing disk. */
@NeedsFailingDisk
class LogDirOwnerIT {

    private static final int SIZE = 256 << 10;
    private static final int BAD = 64 << 10;

    private static Path first;
    private static Path second;

    @BeforeAll
    static void poison(FailingDisk disk) throws IOException {
        first = Files.createDirectory(disk.directory().resolve("first"));
        second = Files.createDirectory(disk.directory().resolve("second"));
        for (Path directory : new Path[] {first, second}) {
            Path file = Content.write(directory.resolve("segment"), SIZE);
            disk.poison(file, BAD, 1);
        }
    }

    @Test
    void aFailingDirectoryIsTakenOfflineAndNotCheckedFromThenOn() {
        try (HostJvm host = HostJvm.withAgent("mode=act")) {
            claim(host);

            fail(host, first);

            SeenVerdict verdict = host.awaitVerdict(1);
            assertThat(verdict.outcome()).isEqualTo("DISK READ_FAILED");
            assertThat(verdict.get("action")).isEqualTo("FED");
            assertThat(verdict.get("owner")).isEqualTo("host");
            assertThat(verdict.get("directory")).isEqualTo(first.toString());
            assertThat(host.askList("offline")).containsExactly(first.toString());
            assertThat(host.awaitErrorLine(line -> line.contains("DISK")))
                    .contains("READ_FAILED", "segment", "unreadable at " + BAD, "taken offline");

            fail(host, first);
            fail(host, first);

            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(host.count("skipped")).isEqualTo(2));
            assertThat(host.verdicts()).hasSize(1);
            assertThat(host.count("handed-over")).isEqualTo(3);
            assertThat(host.status()).containsEntry("directory." + first + ".actions.FED", "1");
        }
    }

    @Test
    void anObserverTakesNothingOffline() {
        try (HostJvm host = HostJvm.withAgent("mode=observe")) {
            claim(host);

            fail(host, first);

            SeenVerdict verdict = host.awaitVerdict(1);
            assertThat(verdict.outcome()).isEqualTo("DISK READ_FAILED");
            assertThat(verdict.get("action")).isEqualTo("OBSERVED");
            assertThat(host.askList("offline")).isEmpty();
            host.awaitErrorLine(line -> line.contains("DISK") && line.contains("stays online"));
        }
    }

    @Test
    void theLastDirectoryGoesTooAsInKafkaItself() {
        try (HostJvm host = HostJvm.withAgent("mode=act,act.max.directories=2")) {
            claim(host);

            fail(host, first);
            fail(host, second);

            host.awaitVerdict(2);
            assertThat(host.askList("offline")).containsExactlyInAnyOrder(first.toString(), second.toString());
        }
    }

    @Test
    void theLastDirectoryStaysWhereTheOperatorSaysSo() {
        try (HostJvm host = HostJvm.withAgent("mode=act,act.last-dir=observe")) {
            claim(host);

            fail(host, first);
            fail(host, second);

            host.awaitVerdict(2);
            assertThat(host.verdicts())
                    .extracting(verdict -> verdict.get("action"))
                    .containsExactlyInAnyOrder("FED", "OBSERVED");
            assertThat(host.askList("offline")).hasSize(1);
        }
    }

    private static void claim(HostJvm host) {
        host.ask("own", first, second);
        host.ask("subscribe");
    }

    private static void fail(HostJvm host, Path directory) {
        assertThat(host.transfer("send", directory.resolve("segment"), BAD, 1000)
                        .failure())
                .isEqualTo("java.io.IOException: Input/output error");
    }
}
