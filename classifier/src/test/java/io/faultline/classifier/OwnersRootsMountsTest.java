package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnersRootsMountsTest {

    private final List<LogDirOwner> owners = new ArrayList<>();

    private LogDirectory directoryOf(String file, String... roots) {
        LogDirMapping mapping = new OwnersRootsMounts(
                () -> owners,
                owner -> ClaimedDirectories.of(List.copyOf(owner.directories())),
                List.of(roots),
                new MountTable());
        return mapping.directoryOf(file);
    }

    private LogDirOwner owner(String... directories) {
        LogDirOwner owner = new RecordingOwner(directories);
        owners.add(owner);
        return owner;
    }

    @Test
    void theLongestClaimedDirectoryWins() {
        LogDirOwner broad = owner("/data");
        LogDirOwner narrow = owner("/data/d1", "/data/d2/inner");
        assertThat(directoryOf("/data/d1/t-0/0.log")).isEqualTo(new LogDirectory("/data/d1", narrow));
        assertThat(directoryOf("/data/d2/t-0/0.log")).isEqualTo(new LogDirectory("/data", broad));
        assertThat(directoryOf("/data/d2/inner/0.log")).isEqualTo(new LogDirectory("/data/d2/inner", narrow));
    }

    @Test
    void ofTwoOwnersOfOneDirectoryTheFirstWins() {
        LogDirOwner first = owner("/data/d1");
        owner("/data/d1");
        assertThat(directoryOf("/data/d1/0.log").owner()).isSameAs(first);
    }

    @Test
    void aSiblingWithTheSameBeginningIsAnotherDirectory() {
        owner("/data/d1");
        assertThat(directoryOf("/data/d10/0.log").owner()).isNull();
    }

    @Test
    void theDirectoryItselfDoesNotLieBelowItself() {
        owner("/data/d1");
        assertThat(directoryOf("/data/d1").owner()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"/data/d1/", "/data//d1", "/data/d1///"})
    void redundantSeparatorsDoNotMatterAndTheSpellingIsTheOwners(String spelling) {
        LogDirOwner owner = owner(spelling);
        assertThat(directoryOf("/data/d1/0.log")).isEqualTo(new LogDirectory(spelling, owner));
    }

    @Test
    void aRelativeDirectoryLiesBelowTheWorkingDirectory() {
        LogDirOwner owner = owner("data/d1");
        String file = Path.of("data/d1/0.log").toAbsolutePath().toString();
        assertThat(directoryOf(file)).isEqualTo(new LogDirectory("data/d1", owner));
    }

    @Test
    void theRootDirectoryHoldsEverything() {
        LogDirOwner owner = owner("/");
        assertThat(directoryOf("/0.log").owner()).isSameAs(owner);
        assertThat(directoryOf("/data/d1/0.log").owner()).isSameAs(owner);
    }

    @Test
    void linksAreNotFollowed(@TempDir Path directory) throws Exception {
        Path real = Files.createDirectory(directory.resolve("real"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        LogDirOwner owner = owner(link.toString());
        assertThat(directoryOf(link.resolve("0.log").toString()).owner()).isSameAs(owner);
        assertThat(directoryOf(real.resolve("0.log").toString()).owner()).isNull();
    }

    @Test
    void dotsAreNotResolvedForTheyMayFollowALink() {
        owner("/data/b");
        assertThat(directoryOf("/data/a/../b/0.log").owner()).isNull();
    }

    @Test
    void aDirectoryThatIsNoPathSpoilsNothing() {
        LogDirOwner owner = owner("no\0path", "/data/d1");
        assertThat(directoryOf("/data/d1/0.log")).isEqualTo(new LogDirectory("/data/d1", owner));
    }

    @Test
    void whereNobodyClaimsAFileTheLongestRootIsItsDirectory() {
        owner("/data/d1");
        assertThat(directoryOf("/data/d2/0.log", "/data", "/data/d2/")).isEqualTo(new LogDirectory("/data/d2/", null));
        assertThat(directoryOf("/data/d1/0.log", "/data/d1").owner()).isNotNull();
    }

    @Test
    void aClaimGoesBeforeALongerRoot() {
        LogDirOwner owner = owner("/data");
        assertThat(directoryOf("/data/d1/0.log", "/data/d1")).isEqualTo(new LogDirectory("/data", owner));
    }

    @Test
    void elseItsMountPointIs() {
        assertThat(directoryOf("/proc/self/maps")).isEqualTo(new LogDirectory("/proc", null));
        assertThat(directoryOf("relative")).isEqualTo(LogDirectory.UNKNOWN);
    }
}
