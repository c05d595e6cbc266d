package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * That a jump of the wall clock can change nothing but the timestamps of records, since nothing else asks it. The spool does, where one process has to know what another one
 * wrote down: how old what it left is.
 */
class WallClockTest {

    private static final List<String> ASKING = List.of(
            "currentTimeMillis", "java/time/Clock", "java/util/Date", "java/time/LocalDateTime", "java/util/Calendar");

    @Test
    void onlyTimestampsOfRecordsAndTheSpoolAskTheWallClock() throws Exception {
        Path classes = Path.of(Producer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            List<String> asking = files.filter(file -> file.toString().endsWith(".class"))
                    .filter(WallClockTest::asksTheWallClock)
                    .map(file -> file.getFileName().toString().replace(".class", ""))
                    .filter(name -> !name.startsWith("Spool"))
                    .toList();
            assertThat(asking).containsExactly("ProducePipeline");
        }
    }

    /** By the names in its constants. */
    private static boolean asksTheWallClock(Path type) {
        try {
            String constants = Files.readString(type, StandardCharsets.ISO_8859_1);
            return ASKING.stream().anyMatch(constants::contains)
                    || constants.contains("java/time/Instant") && constants.contains("now");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
