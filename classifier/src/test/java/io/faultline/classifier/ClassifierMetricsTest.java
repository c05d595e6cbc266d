package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeavesNoThread.class)
class ClassifierMetricsTest {

    private static final int SIZE = 100_000;

    @TempDir
    private Path directory;

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final FailureFeed feed = new FailureFeed();
    private RunningClassifier running;
    private ClassifierMetrics metrics;
    private Path file;
    private FileChannel channel;
    private Peers peers;

    @BeforeEach
    void start() throws IOException {
        file = Files.write(directory.resolve("segment"), new byte[SIZE]);
        channel = FileChannel.open(file);
        peers = new Peers();
        FailureHints hints = new FailureHints("a media error", null, null);
        running = new RunningClassifier(
                feed,
                builder -> builder.hints(hints).roots(directory.toString()).queueCapacity(4));
        metrics = new ClassifierMetrics(running.classifier, feed);
        metrics.bindTo(registry);
    }

    @AfterEach
    void stop() throws IOException {
        metrics.close();
        running.close();
        peers.close();
        channel.close();
    }

    private double value(String name, String... tags) {
        return registry.get(name).tags(tags).meter().measure().iterator().next().getValue();
    }

    private double inDirectory(String name, String... tags) {
        return registry.get(name).tags("dir", directory.toString()).tags(tags).meters().stream()
                .mapToDouble(meter -> meter.measure().iterator().next().getValue())
                .sum();
    }

    private FailedTransfer failedSend() throws IOException {
        return peers.failedSend(channel, file.toString(), 0, SIZE);
    }

    @Test
    void theFiguresAreThoseOfTheClassifier() throws Exception {
        running.verdictOn(failedSend());
        running.verdictOn(failedSend());
        running.verdictOn(FailedTransfer.ofRead(channel, file.toString(), 0, 10, new IOException("seen")));
        // A healthy file has no media error to show, so the text is made up.
        running.verdictOn(FailedTransfer.ofTransfer(
                channel, file.toString(), 0, SIZE, peers.gone(), new IOException("a media error")));
        running.atRest();
        assertThat(value("faultline.handed.over")).isEqualTo(4);
        assertThat(inDirectory("faultline.verdicts", "verdict", "socket", "reason", "region_readable"))
                .isEqualTo(3);
        assertThat(inDirectory("faultline.verdicts", "verdict", "disk", "reason", "read_failed_in_transfer"))
                .isEqualTo(1);
        assertThat(inDirectory("faultline.verdicts")).isEqualTo(4);
        assertThat(inDirectory("faultline.suspected.transient")).isEqualTo(1);
        assertThat(inDirectory("faultline.check.read")).isEqualTo(3 * SIZE);
        assertThat(inDirectory("faultline.check.pending")).isZero();
        assertThat(inDirectory("faultline.check.running")).isZero();
        assertThat(inDirectory("faultline.check.oldest.age")).isZero();
        assertThat(inDirectory("faultline.actions")).isZero();
        RunningClassifier.until(
                "timers",
                () -> registry.get("faultline.check").timer().count() == 4
                        && registry.get("faultline.detection").timer().count() == 1);
    }

    @Test
    void whatWaitsIsSeenAndWhatIsNotCheckedIsCounted() throws Exception {
        GatedChannel held = new GatedChannel(file);
        try (held) {
            running.submit(peers.failedSend(held, file.toString(), 0, 1));
            held.awaitRead();
            for (int send = 0; send < 5; send++) {
                running.submit(failedSend());
            }
            RunningClassifier.until("dropped", () -> inDirectory("faultline.checks.dropped") == 2);
            assertThat(inDirectory("faultline.check.pending")).isEqualTo(4);
            assertThat(inDirectory("faultline.check.running")).isEqualTo(1);
            assertThat(inDirectory("faultline.check.oldest.age")).isPositive();
            assertThat(value("faultline.not.checked", "reason", "dropped")).isEqualTo(2);
            held.open();
            running.atRest();
            RecordingOwner owner = new RecordingOwner(directory.toString());
            owner.offline.add(directory.toString());
            feed.register(owner);
            RunningClassifier.until("the owner is known", () -> {
                running.submit(failedSend());
                return running.atRest().skipped() > 0;
            });
            assertThat(value("faultline.not.checked", "reason", "skipped")).isPositive();
            assertThat(value("faultline.not.checked", "reason", "expired")).isZero();
        }
    }

    @Test
    void whatBecameOfADiskVerdictIsCounted() {
        RecordingOwner owner = new RecordingOwner(directory.toString());
        feed.register(owner);
        running.verdictOn(FailedTransfer.ofRead(channel, file.toString(), 0, 10, new IOException("seen")));
        running.atRest();
        assertThat(inDirectory("faultline.actions", "result", "fed")).isEqualTo(1);
        assertThat(inDirectory("faultline.actions")).isEqualTo(1);
    }

    @Test
    void aServerThatRestartsIsCountedOn() throws Exception {
        RecordingOwner first = new RecordingOwner(directory.toString());
        Subscription registration = feed.register(first);
        running.verdictOn(failedSend());
        running.atRest();
        registration.close();
        feed.register(new RecordingOwner(directory.toString()));
        RunningClassifier.until(
                "retirement", () -> running.classifier.directories().isEmpty());
        running.verdictOn(failedSend());
        running.verdictOn(failedSend());
        running.atRest();
        // The directory's figures begin anew, as those of a process that restarts do; the total goes on.
        assertThat(inDirectory("faultline.verdicts")).isEqualTo(2);
        assertThat(value("faultline.handed.over")).isEqualTo(3);
    }

    @Test
    void tagsAreBounded() throws Exception {
        running.verdictOn(failedSend());
        int meters = registry.getMeters().size();
        for (int send = 0; send < 50; send++) {
            Path another = Files.write(directory.resolve("segment" + send), new byte[10]);
            try (FileChannel channelOfAnother = FileChannel.open(another)) {
                running.verdictOn(peers.failedSend(channelOfAnother, another.toString(), 0, 10));
            }
        }
        assertThat(registry.getMeters()).hasSize(meters);
        Set<String> keys = registry.getMeters().stream()
                .flatMap(meter -> meter.getId().getTags().stream())
                .map(Tag::getKey)
                .collect(Collectors.toSet());
        // "le" is the bound of a histogram's bucket.
        assertThat(keys).containsExactlyInAnyOrder("dir", "verdict", "reason", "result", "le");
        List<Meter.Id> ids = registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getTag("le") == null)
                .toList();
        assertThat(ids).allSatisfy(id -> {
            assertThat(id.getName()).startsWith("faultline.").matches("[a-z.]+");
            assertThat(id.getDescription()).isNotBlank();
        });
    }

    @Test
    void aSecondRegistryIsServedTooAndClosingEndsBoth() throws Exception {
        MeterRegistry second = new SimpleMeterRegistry();
        metrics.bindTo(second);
        running.verdictOn(failedSend());
        RunningClassifier.until(
                "both timers",
                () -> registry.get("faultline.check").timer().count() == 1
                        && second.get("faultline.check").timer().count() == 1);
        metrics.close();
        running.verdictOn(failedSend());
        running.atRest();
        assertThat(registry.get("faultline.check").timer().count()).isOne();
        assertThat(second.get("faultline.check").timer().count()).isOne();
        assertThat(value("faultline.handed.over")).isEqualTo(2);
    }

    @Test
    void aDirectoryThatWasThereBeforeTheRegistryIsBound() throws Exception {
        running.verdictOn(failedSend());
        running.atRest();
        MeterRegistry late = new SimpleMeterRegistry();
        metrics.bindTo(late);
        assertThat(late.get("faultline.verdicts")
                        .tags("verdict", "socket")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
    }
}
