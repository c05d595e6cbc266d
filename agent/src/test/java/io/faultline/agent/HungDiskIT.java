package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Content;
import io.faultline.disk.HungDisk;
import io.faultline.disk.NeedsHungDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A check that hangs with its disk. */
@NeedsHungDisk
class HungDiskIT {

    private static final int SIZE = 4 << 20;
    private static final long AT_ONCE_MILLIS = 2_000;

    @TempDir
    private Path healthy;

    private HostJvm host;
    private HungDisk disk;
    private Path file;

    /** The client goes away, and then the disk hangs, while the check is still reading at the lowest rate there is. */
    @BeforeEach
    void hangInACheck(HungDisk given) throws IOException {
        disk = given;
        file = Content.write(disk.directory().resolve("segment"), SIZE);
        host = HostJvm.withAgent("mode=act,check.rate=1");
        host.ask("subscribe");
        disk.dropCache(file);
        assertThat(host.transfer("reset", file, 0, SIZE).failure()).isNotEmpty();
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(host.count("directory." + disk.directory() + ".running-for-ms"))
                        .isPositive());
        disk.hang();
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(disk.waitingCalls()).isPositive());
    }

    @AfterEach
    void resume() throws IOException {
        disk.resume();
        host.close();
    }

    @Test
    void theHostClosesItsChannelAtOnceAllTheSame() {
        assertThat(Long.parseLong(host.ask("close", file))).isLessThan(AT_ONCE_MILLIS);

        assertThat(host.count("pending")).as("still hanging").isEqualTo(1);
    }

    @Test
    void checksOfOtherDirectoriesGoOn() throws IOException {
        Path other = Content.write(healthy.resolve("segment"), 64 << 10);

        host.transfer("reset", other, 0, 64 << 10);

        assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
        assertThat(host.count("pending")).as("still hanging").isEqualTo(1);
    }

    @Test
    void theVerdictComesWhenTheDiskGoesOn() throws IOException {
        disk.resume();

        assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
    }

    @Test
    void detachingReturnsAtOnceAndLeavesTheHostsChannelsOpen() throws IOException {
        long began = System.nanoTime();

        assertThat(host.control("detach")).isEqualTo("ok detached");

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(AT_ONCE_MILLIS));
        disk.resume();
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(host.askList("threads")).isEmpty());
        assertThat(host.askList("open-files")).containsExactly(file + " open");
        assertThat(host.transfer("send", file, 0, SIZE)).isEqualTo(new HostJvm.Sent(SIZE, ""));
        assertThat(host.verdicts()).as("nobody is told behind a detach").isEmpty();
    }
}
