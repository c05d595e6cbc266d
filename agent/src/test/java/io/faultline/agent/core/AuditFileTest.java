package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.classifier.OwnerAction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditFileTest {

    private static final long SMALL = 2_000;

    @TempDir
    private Path folder;

    private final OwnErrors errors = new OwnErrors();
    private Path file;
    private Path lines;
    private AgentLog log;

    @BeforeEach
    void openLog() {
        file = folder.resolve("audit.jsonl");
        lines = folder.resolve("log");
        log = AgentLog.open(lines);
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private AuditFile audit() {
        return new AuditFile(file, () -> Map.of("node", "1", "cluster", "abc"), log, errors, SMALL);
    }

    private static void finish(AuditFile audit) {
        audit.close();
        await().atMost(Duration.ofSeconds(30)).until(() -> !audit.isBusy());
    }

    @Test
    void aVerdictHasAllThatExplainsIt() throws IOException {
        ActionLimits limits =
                new ActionLimits(() -> Mode.OBSERVE, () -> Options.read(null, Map.of(), Map.of()), directory -> false);
        AuditFile written = audit();
        new Audit(written, limits).verdict(Verdicts.disk("kafka-broker-1", "/data", OwnerAction.FED));
        finish(written);

        Map<String, Object> entry = JSON.std.mapFrom(Files.readString(file));
        assertThat(entry)
                .containsEntry("event", "verdict")
                .containsEntry("node", "1")
                .containsEntry("cluster", "abc")
                .containsEntry("verdict", "disk")
                .containsEntry("reason", "read_failed")
                .containsEntry("action", "fed")
                .containsEntry("directory", "/data")
                .containsEntry("owner", "kafka-broker-1")
                .containsEntry("file", "/data/segment")
                .containsEntry("position", 0)
                .containsEntry("count", 8192)
                .containsEntry("unreadableAt", 4096)
                .containsEntry("device", "/dev/sdc1")
                .containsEntry("readFailure", "java.io.IOException: read")
                .containsEntry("transferFailure", "java.io.IOException: sent")
                .containsKey("at");
    }

    @Test
    void whatIsSaidAgainAndAgainIsWrittenOnce() throws IOException {
        ActionLimits limits =
                new ActionLimits(() -> Mode.ACT, () -> Options.read(null, Map.of(), Map.of()), directory -> false);
        AuditFile written = audit();
        Audit audit = new Audit(written, limits);
        for (int i = 0; i < 100; i++) {
            audit.verdict(Verdicts.disk("server", "/data", OwnerAction.LIMITED));
        }
        finish(written);

        assertThat(Files.readAllLines(file)).hasSize(1);
    }

    @Test
    void theFilesStayBoundedAndTheYoungestIsWhole() throws IOException {
        AuditFile audit = audit();
        for (int i = 0; i < 200; i++) {
            audit.write("test", Map.of("number", i));
        }
        finish(audit);

        try (Stream<Path> all = Files.list(folder)) {
            List<Path> written =
                    all.filter(each -> each.toString().contains("audit")).toList();
            assertThat(written).hasSize(5);
            assertThat(written).allSatisfy(each -> assertThat(Files.size(each)).isLessThanOrEqualTo(SMALL));
        }
        List<String> last = Files.readAllLines(file);
        assertThat(JSON.std.mapFrom(last.get(last.size() - 1))).containsEntry("number", 199);
        List<String> before = Files.readAllLines(folder.resolve("audit.jsonl.1"));
        int next = (Integer) JSON.std.mapFrom(last.get(0)).get("number");
        assertThat(JSON.std.mapFrom(before.get(before.size() - 1))).containsEntry("number", next - 1);
        assertThat(errors.of(Part.AUDIT)).isZero();
    }

    @Test
    void itIsRefusedBelowAWatchedDirectory() throws IOException {
        AuditFile audit = audit();
        audit.refuseBelow("/elsewhere");
        audit.refuseBelow(folder.toString());

        audit.write("test", Map.of());
        finish(audit);

        assertThat(file).doesNotExist();
        assertThat(errors.of(Part.AUDIT)).isEqualTo(1);
        assertThat(lines)
                .content()
                .contains("audit.file=" + file + " is refused: it lies in " + folder + ", whose disk is watched");
    }

    @Test
    void whereItCannotBeWrittenThatIsCountedAndSaidOnce() throws IOException {
        file = folder.resolve("none").resolve("audit.jsonl");
        AuditFile audit = audit();

        audit.write("test", Map.of());
        audit.write("test", Map.of());
        finish(audit);

        assertThat(errors.of(Part.AUDIT)).isEqualTo(2);
        assertThat(Files.readAllLines(lines))
                .singleElement()
                .asString()
                .contains("audit.file=" + file + " cannot be written");
    }
}
