package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.EmbeddedBroker;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Producers that are killed with records in their spool, while the broker comes and goes. */
class SpoolKillTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int KILLS = 6;
    private static final int MOST_LINES = 400;

    @TempDir
    Path folder;

    private EmbeddedBroker broker;
    private final Set<String> accepted = new HashSet<>();
    private final Set<String> undecided = new HashSet<>();

    @BeforeEach
    void start() throws IOException {
        broker = EmbeddedBroker.builder().start();
        broker.topics().create("t", 1);
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    /** A process with a producer, and the reader of what it tells. */
    private final class Victim {
        private final Process process;
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch told;
        private final Thread reader;

        Victim(int number, int lines, boolean sends) throws IOException {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            SpoolVictim.class.getName(),
                            broker.bootstrapServers(),
                            folder.resolve("spool").toString(),
                            String.valueOf(number),
                            String.valueOf(sends))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            told = new CountDownLatch(lines);
            reader = new Thread(this::read, "test-reader");
            reader.start();
        }

        private void read() {
            try (BufferedReader lines = process.inputReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    String[] words = line.split(" ");
                    if (words.length == 2) { // the last line may be torn
                        note(words[0], words[1]);
                        begun.countDown();
                        told.countDown();
                    }
                }
            } catch (IOException killed) {
                // What it had told before counts.
            }
        }

        private void note(String what, String key) {
            if (what.equals(SpoolVictim.ACCEPTED) && key.endsWith(".")) {
                accepted.add(key);
            } else if (what.equals(SpoolVictim.UNDECIDED)) {
                undecided.add(key);
            }
        }

        void awaitBegun() throws InterruptedException {
            assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }

        void kill() throws InterruptedException {
            assertThat(told.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            process.destroyForcibly();
            end();
        }

        void end() throws InterruptedException {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            reader.join();
        }
    }

    @Test
    void eachAcceptedRecordIsInTheLogOnceOrUndecidedAndNoOtherTwice() throws Exception {
        Random random = new Random(5);
        for (int kill = 0; kill < KILLS; kill++) {
            broker.start(); // a producer must get to know its topic
            Victim victim = new Victim(kill, random.nextInt(1, MOST_LINES), true);
            try {
                victim.awaitBegun();
                switch (kill % 3) {
                    case 0 -> broker.stop();
                    case 1 -> broker.restart();
                    default -> {
                        // It stays up.
                    }
                }
                victim.kill();
            } finally {
                victim.process.destroyForcibly();
            }
        }
        broker.start();
        Victim last = new Victim(KILLS, 0, false);
        try {
            last.end();
        } finally {
            last.process.destroyForcibly();
        }
        List<String> inLog = new ArrayList<>(Keys.read(broker, new TopicPartition("t", 0)));
        assertThat(inLog).doesNotHaveDuplicates();
        Set<String> missing = new HashSet<>(accepted);
        inLog.forEach(missing::remove);
        assertThat(undecided).containsAll(missing);
        assertThat(accepted).isNotEmpty();
    }
}
