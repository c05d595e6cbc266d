package io.faultline.bench.client;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;

/** {@code kcat}, a consumer of another make: librdkafka. */
public final class Kcat {

    /** What librdkafka, or an operator, gives up on: nothing more for so long. */
    private static final Duration SILENCE = Duration.ofSeconds(6);

    private Kcat() {}

    /**
     * What it printed.
     *
     * @param right records that are what was produced
     * @param wrong others
     */
    public record Received(long right, long wrong) {}

    /**
     * Says whether it is installed.
     *
     * @return true if it is
     * @throws InterruptedException if interrupted meanwhile
     */
    public static boolean isInstalled() throws InterruptedException {
        try {
            return new ProcessBuilder("kcat", "-V")
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException notInstalled) {
            return false;
        }
    }

    /**
     * Consumes a partition from its beginning until it has everything, ends, or is silent for too long.
     *
     * @param address host and port of a broker
     * @param partition what to consume
     * @param expected how many records there are
     * @param settings of librdkafka, each as {@code name=value}
     * @return what it printed
     * @throws IOException if it cannot be run
     * @throws InterruptedException if interrupted meanwhile
     */
    public static Received consume(String address, TopicPartition partition, long expected, List<String> settings)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("kcat", "-C", "-q", "-u", "-b", address, "-t", partition.topic()));
        command.addAll(List.of(
                "-p", Integer.toString(partition.partition()), "-o", "beginning", "-c", Long.toString(expected)));
        command.addAll(List.of("-f", "%s", "-X", "check.crcs=true")); // the bare payloads
        settings.forEach(setting -> command.addAll(List.of("-X", setting)));
        Process kcat = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        AtomicLong lastByte = new AtomicLong(System.nanoTime());
        Thread watchdog = new Thread(() -> endWhenSilent(kcat, lastByte));
        watchdog.start();
        long right = 0;
        long wrong = 0;
        try (InputStream payloads = kcat.getInputStream()) {
            int size = Records.content(partition, 0).length;
            byte[] payload = payloads.readNBytes(size);
            while (payload.length > 0) {
                lastByte.set(System.nanoTime());
                if (Records.isRight(partition, right + wrong, payload)) {
                    right++;
                } else {
                    wrong++;
                }
                payload = payloads.readNBytes(size);
            }
        } finally {
            kcat.destroyForcibly().waitFor();
            watchdog.join();
        }
        return new Received(right, wrong);
    }

    private static void endWhenSilent(Process kcat, AtomicLong lastByte) {
        try {
            while (!kcat.waitFor(100, TimeUnit.MILLISECONDS)) {
                if (System.nanoTime() - lastByte.get() > SILENCE.toNanos()) {
                    kcat.destroyForcibly();
                }
            }
        } catch (InterruptedException ended) {
            kcat.destroyForcibly();
        }
    }
}
