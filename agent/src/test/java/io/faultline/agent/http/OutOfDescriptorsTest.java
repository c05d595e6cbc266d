package io.faultline.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A process that may have few file descriptors, and has used them all. */
@EnabledOnOs(OS.LINUX)
class OutOfDescriptorsTest {

    private static final int DESCRIPTORS = 100;

    private Process process;
    private BufferedReader out;
    private Writer in;
    private int port;

    @BeforeEach
    void start() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProcessBuilder builder = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n " + DESCRIPTORS + "; exec \"$@\"",
                        "sh",
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Exhausted.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        process = builder.start();
        out = process.inputReader(StandardCharsets.UTF_8);
        in = process.outputWriter(StandardCharsets.UTF_8);
        port = Integer.parseInt(out.readLine());
        assertServes(); // so every class is loaded: here each is a file of its own
    }

    @AfterEach
    void end() throws Exception {
        in.close();
        boolean ended = process.waitFor(30, TimeUnit.SECONDS);
        process.destroyForcibly().waitFor();
        assertThat(ended).as("ends with its input").isTrue();
    }

    @Test
    void onTheLastDescriptorItGoesOnAnswering() throws IOException {
        tell("exhaust");

        for (int i = 0; i < 20; i++) {
            assertServes();
        }
    }

    @Test
    void besideAnIdleClientOnTheLastDescriptorAnotherIsServedInTurn() throws IOException {
        tell("exhaust");

        try (RawClient idle = new RawClient(port)) {
            idle.send("GET /");
            assertServes();
        }
    }

    @Test
    void idleClientsThatUsedUpEveryDescriptorGiveWay() throws IOException {
        List<RawClient> idle = new ArrayList<>();
        try {
            for (int i = 0; i < DESCRIPTORS; i++) { // the backlog takes those that cannot be accepted
                idle.add(new RawClient(port));
            }
            assertServes();
        } finally {
            for (RawClient client : idle) {
                client.close();
            }
        }
    }

    @Test
    void whenThereAreDescriptorsAgainItServesAsBefore() throws IOException {
        tell("exhaust");
        assertServes();
        tell("free");

        List<RawClient> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                idle.add(new RawClient(port).send("GET /"));
            }
            assertServes();
            for (RawClient client : idle) {
                assertThat(client.send("late HTTP/1.1\r\n\r\n").answer()).contains("page of /late");
            }
        } finally {
            for (RawClient client : idle) {
                client.close();
            }
        }
    }

    private void assertServes() throws IOException {
        assertThat(RawClient.get(port, "/a")).contains("page of /a");
    }

    private void tell(String what) throws IOException {
        in.write(what + "\n");
        in.flush();
        assertThat(out.readLine()).isEqualTo("done");
    }
}
