package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapFormTest {

    @Test
    void aVerdictSurvivesTheCrossing() {
        Classification verdict = Samples.disk();
        assertThat(MapForm.toClassification(MapForm.of(verdict))).isEqualTo(verdict);
    }

    @Test
    void aVerdictWithItsChannelsSurvivesTheCrossing(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("segment"), new byte[10]);
        try (RunningClassifier running = new RunningClassifier();
                FileChannel channel = FileChannel.open(file);
                Peers peers = new Peers()) {
            Classification verdict = running.verdictOn(peers.failedSend(channel, file.toString(), 0, 10));
            assertThat(MapForm.toClassification(MapForm.of(verdict))).isEqualTo(verdict);
        }
    }

    @Test
    void theFormHoldsTypesOfTheJdkOnly() {
        assertThat(MapForm.of(Samples.disk()).values())
                .filteredOn(value -> value != null)
                .allMatch(value -> value.getClass().getClassLoader() == null);
        assertThat(MapForm.ofOwner(new RecordingOwner("/data/d1")).values())
                .allMatch(value -> value instanceof String
                        || value instanceof Supplier
                        || value instanceof Predicate
                        || value instanceof BiFunction);
        // The names are a contract between versions: none may ever go or be renamed.
        assertThat(MapForm.of(Samples.disk()).keySet())
                .containsAll(Set.of(
                        "verdict",
                        "reason",
                        "hint",
                        "action",
                        "directory",
                        "owner",
                        "file",
                        "position",
                        "count",
                        "unreadablePosition",
                        "targetKind",
                        "mountPoint",
                        "fileSystemType",
                        "device",
                        "transferFailure",
                        "readFailure",
                        "failedAt",
                        "waited",
                        "took",
                        "channel",
                        "target"));
        assertThat(MapForm.ofOwner(new RecordingOwner("/data/d1")))
                .containsOnlyKeys("name", "directories", "isOffline", "takeOffline");
    }

    @Test
    void whatANewerVersionSaysIsReadAsTheLeastCommitting() {
        Map<String, Object> newer = MapForm.of(Samples.disk());
        newer.put("verdict", "CONTROLLER");
        newer.put("reason", "FIRMWARE_LIED");
        newer.put("hint", "SOMETHING_NEW");
        newer.put("action", "PARTLY");
        newer.put("targetKind", "QUIC");
        newer.put("position", -5L);
        newer.put("count", -1L);
        newer.put("aKeyOfLater", new Object());
        Classification read = MapForm.toClassification(newer);
        assertThat(read.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(read.reason()).isEqualTo(Reason.UNKNOWN);
        assertThat(read.hint()).isEqualTo(Hint.NONE);
        assertThat(read.action()).isEqualTo(OwnerAction.NONE);
        assertThat(read.targetKind()).isEqualTo(TargetKind.OTHER);
        assertThat(read.region()).isEqualTo(new Region(0, 0));
    }

    @Test
    void whatAnOlderVersionDoesNotSayIsReadAsNotKnown() {
        Classification read = MapForm.toClassification(Map.of());
        assertThat(read.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(read.directory()).isEmpty();
        assertThat(read.mount()).isEqualTo(Mount.UNKNOWN);
        assertThat(read.unreadableAt()).isEmpty();
        assertThat(read.file()).isNull();
        assertThat(read.toString()).startsWith("INCONCLUSIVE");
    }

    @Test
    void whatHasAnotherTypeIsReadAsNotKnown() {
        Map<String, Object> odd = new HashMap<>(MapForm.of(Samples.disk()));
        odd.replaceAll((key, value) -> List.of("odd"));
        assertThat(MapForm.toClassification(odd).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    }

    @Test
    void anOwnerSurvivesTheCrossing() {
        RecordingOwner owner = new RecordingOwner("/data/d1", "/data/d2");
        LogDirOwner crossed = MapForm.toOwner(MapForm.ofOwner(owner));
        assertThat(crossed.name()).isEqualTo("test-owner");
        assertThat(crossed.directories()).containsExactly("/data/d1", "/data/d2");
        assertThat(crossed.isOffline("/data/d1")).isFalse();
        assertThat(crossed.takeOffline("/data/d1", Samples.disk())).isEqualTo(OwnerAction.FED);
        assertThat(crossed.takeOffline("/data/d1", Samples.disk())).isEqualTo(OwnerAction.ALREADY);
        assertThat(crossed.isOffline("/data/d1")).isTrue();
        assertThat(owner.told.get(0).readFailure()).isInstanceOf(IOException.class);
    }

    @Test
    void anAnswerOfANewerOwnerThatIsNotKnownIsAnError() {
        Map<String, Object> newer = MapForm.ofOwner(new RecordingOwner("/data/d1"));
        BiFunction<String, Map<String, Object>, String> answer = (directory, why) -> "DEFERRED";
        newer.put("takeOffline", answer);
        assertThat(MapForm.toOwner(newer).takeOffline("/data/d1", Samples.disk()))
                .isEqualTo(OwnerAction.ERROR);
    }

    @Test
    void ownersOfOneFormAreEqual() {
        Map<String, Object> form = MapForm.ofOwner(new RecordingOwner("/data/d1"));
        assertThat(MapForm.toOwner(form)).isEqualTo(MapForm.toOwner(form)).hasSameHashCodeAs(MapForm.toOwner(form));
        assertThat(MapForm.toOwner(form)).isNotEqualTo(MapForm.toOwner(new HashMap<>(form)));
    }
}
