package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MountTableTest {

    @Test
    void pointTypeAndSourceAreTakenOutOfALine() {
        assertThat(MountTable.parse(List.of(
                        "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue",
                        "37 35 98:1 / /none rw - tmpfs none rw",
                        "38 35 98:2 / /many rw shared:1 master:2 propagate_from:3 - xfs /dev/sdc1 rw")))
                .containsExactly(
                        new Mount("/mnt2", "ext3", "/dev/root"),
                        new Mount("/none", "tmpfs", "none"),
                        new Mount("/many", "xfs", "/dev/sdc1"));
    }

    @Test
    void escapesAreUndone() {
        assertThat(MountTable.parse(
                        List.of("36 35 98:0 / /a\\040b\\011c\\012d\\134040e rw - fuse.\\134x host:/my\\040share rw")))
                .containsExactly(new Mount("/a b\tc\nd\\040e", "fuse.\\x", "host:/my share"));
    }

    @Test
    void whatIsNoEscapeStaysAsItIs() {
        assertThat(MountTable.parse(List.of("36 35 98:0 / /a\\b\\08 rw - tmpfs \\ rw")))
                .containsExactly(new Mount("/a\\b\\08", "tmpfs", "\\"));
    }

    @Test
    void whatIsNoLineOfATableIsLeftOut() {
        assertThat(MountTable.parse(List.of("", "36 35", "36 35 98:0 / /a rw -", "36 35 98:0 / /a rw x tmpfs none rw")))
                .isEmpty();
    }

    @Test
    void theMountsOfThisMachineAreKnown() {
        MountTable mounts = new MountTable();
        assertThat(mounts.mountOf("/proc/self/maps"))
                .isEqualTo(new Mount("/proc", "proc", mounts.mountOf("/proc/x").device()));
        assertThat(mounts.mountOf("/surely/not/there").point()).isEqualTo("/");
        assertThat(mounts.mountOf("no absolute name")).isEqualTo(Mount.UNKNOWN);
    }

    @Test
    void aMountPointLiesOnItsMount() {
        assertThat(new MountTable().mountOf("/proc").fileSystemType()).isEqualTo("proc");
    }
}
