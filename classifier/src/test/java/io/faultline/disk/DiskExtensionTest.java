package io.faultline.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;

class DiskExtensionTest {

    private static final List<String> MISSING = List.of("root", "mkfs.btrfs (Debian package btrfs-progs)");

    @Test
    void aTestIsSkippedAndSaysWhatIsMissing() {
        ConditionEvaluationResult result = DiskExtension.evaluate(MISSING, false);

        assertThat(result.isDisabled()).isTrue();
        assertThat(result.getReason().orElseThrow()).contains(MISSING);
    }

    @Test
    void underContinuousIntegrationItFailsAndSaysWhatIsMissing() {
        assertThatIllegalStateException()
                .isThrownBy(() -> DiskExtension.evaluate(MISSING, true))
                .withMessageContainingAll(MISSING.toArray(String[]::new))
                .withMessageContaining("CI=true");
    }

    @Test
    void aTestRunsWhereNothingIsMissing() {
        assertThat(DiskExtension.evaluate(List.of(), true).isDisabled()).isFalse();
        assertThat(DiskExtension.evaluate(List.of(), false).isDisabled()).isFalse();
    }

    @Nested
    @NeedsHungDisk
    class OfATest {

        private static final Set<HungDisk> SEEN = new HashSet<>();

        private final HungDisk inConstructor;
        private HungDisk beforeEach;

        OfATest(HungDisk disk) {
            inConstructor = disk;
        }

        @BeforeEach
        void rememberDisk(HungDisk disk) {
            beforeEach = disk;
        }

        @RepeatedTest(2)
        void theDiskIsOneAndFresh(HungDisk disk, HungDisk second) {
            assertThat(disk).isSameAs(beforeEach).isSameAs(inConstructor);
            assertThat(second).isNotSameAs(disk);
            assertThat(disk.directory()).isEmptyDirectory();
            assertThat(SEEN.add(disk)).isTrue();
        }

        @AfterAll
        static void itWasClosed() {
            assertThat(SEEN).allSatisfy(disk -> assertThat(disk.directory()).doesNotExist());
        }
    }

    @Nested
    @NeedsHungDisk
    class OfAClass {

        private static HungDisk shared;

        @BeforeAll
        static void rememberDisk(HungDisk disk) {
            shared = disk;
        }

        @RepeatedTest(2)
        void theDiskIsSharedByItsTests(HungDisk disk) {
            assertThat(disk).isSameAs(shared);
            assertThat(disk.directory()).isDirectory();
        }
    }
}
