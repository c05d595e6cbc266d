package io.faultline.agent.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // a server that is only to be open while it is asked
class ControlServerTest {

    private static final long SELF = ProcessHandle.current().pid();
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void aRequestGetsItsAnswer() throws IOException {
        try (ControlServer server = ControlServer.open(request -> "ok " + request)) {
            assertThat(ControlClient.ask(SELF, "status\twörds", PATIENCE)).isEqualTo("ok status\twörds");
        }
    }

    @Test
    void aRequestThatFailsIsAnsweredToo() throws IOException {
        try (ControlServer server = ControlServer.open(request -> {
            throw new IllegalStateException("no idea");
        })) {
            assertThat(ControlClient.ask(SELF, "status", PATIENCE))
                    .isEqualTo("error java.lang.IllegalStateException: no idea");
            assertThat(ControlClient.ask(SELF, "again", PATIENCE)).startsWith("error");
        }
    }

    @Test
    void manyAskAtOnceWhileSomebodyOnlyConnects() throws IOException {
        try (ControlServer server = ControlServer.open(request -> "x".repeat(100_000) + request);
                SocketChannel silent = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            silent.connect(ControlSocket.address(ControlSocket.of(SELF)));

            List<String> answers = IntStream.range(0, 20)
                    .parallel()
                    .mapToObj(number -> {
                        try {
                            return ControlClient.ask(SELF, Integer.toString(number), PATIENCE);
                        } catch (IOException failed) {
                            return failed.toString();
                        }
                    })
                    .toList();

            assertThat(answers)
                    .hasSize(20)
                    .allSatisfy(answer -> assertThat(answer).startsWith("xxx"));
            assertThat(answers.get(19)).endsWith("x19");
        }
    }

    @Test
    void whoeverOnlyConnectsGivesWay() throws IOException {
        List<SocketChannel> silent = new ArrayList<>();
        try (ControlServer server = ControlServer.open(request -> "ok")) {
            for (int i = 0; i < 200; i++) {
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                silent.add(channel);
                channel.connect(ControlSocket.address(ControlSocket.of(SELF)));
            }

            assertThat(ControlClient.ask(SELF, "status", PATIENCE)).isEqualTo("ok");
            // Who gave way is rid of its connection at once, and of its thread when that has its turn.
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet().stream()
                                    .filter(thread -> thread.getName().equals("faultline-control-request")))
                            .hasSizeLessThanOrEqualTo(64));
        } finally {
            for (SocketChannel channel : silent) {
                channel.close();
            }
        }
    }

    @Test
    void anAnswerThatDoesNotComeIsNotWaitedForForEver() throws IOException {
        CountDownLatch ended = new CountDownLatch(1);
        try (ControlServer server = ControlServer.open(request -> {
            try {
                ended.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            return "late";
        })) {
            assertThatIOException()
                    .isThrownBy(() -> ControlClient.ask(SELF, "status", Duration.ofMillis(100)))
                    .withMessageContaining("no answer within");
        } finally {
            ended.countDown();
        }
    }

    @Test
    void nobodyElseCanReachTheSocket() throws IOException {
        try (ControlServer server = ControlServer.open(request -> "")) {
            Path folder = ControlSocket.of(SELF).getParent();

            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                    .isEqualTo("rwx------");
            assertThat(Files.getOwner(folder)).isEqualTo(Files.getOwner(Path.of("/proc/self")));
        }
    }

    @Test
    void theProcessIsListedWhileItsServerIsOpen() throws IOException {
        try (ControlServer server = ControlServer.open(request -> "")) {
            assertThat(ControlSocket.processes()).contains(SELF);
        }
        assertThat(ControlSocket.processes()).doesNotContain(SELF);
        assertThat(ControlSocket.of(SELF)).doesNotExist();
        assertThatIOException().isThrownBy(() -> ControlClient.ask(SELF, "status", PATIENCE));
    }

    @Test
    void aSocketThatAnEarlierProcessLeftBehindIsReplaced() throws IOException {
        Path socket = ControlSocket.ofThisProcess();
        Files.createFile(socket);

        try (ControlServer server = ControlServer.open(request -> "ok")) {
            assertThat(ControlClient.ask(SELF, "status", PATIENCE)).isEqualTo("ok");
        }
    }

    @Test
    void aSocketOfAProcessThatWasKilledIsRemovedWhenProcessesAreListed() throws IOException {
        long nobody = 999_999_999L;
        try (ControlServer server = ControlServer.open(request -> "")) {
            Path abandoned = ControlSocket.of(SELF).resolveSibling(nobody + ".sock");
            try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                killed.bind(ControlSocket.address(abandoned));
                assertThat(ControlSocket.processes()).as("somebody answers").contains(nobody);
            }
            assertThat(abandoned).exists();

            assertThat(ControlSocket.processes()).contains(SELF).doesNotContain(nobody);
            assertThat(abandoned).doesNotExist();
        }
    }

    @Test
    void aProcessThatDoesNotExistHasNoSocket() {
        assertThatIOException().isThrownBy(() -> ControlSocket.of(999_999_999L));
    }
}
