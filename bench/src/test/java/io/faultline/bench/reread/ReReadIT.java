package io.faultline.bench.reread;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.report.Experiments;
import io.faultline.disk.NeedsTruncatedDisk;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the experiment works; what it measures is for quiet machines to say. */
class ReReadIT {

    @NeedsTruncatedDisk
    @Test
    void aRegionIsReadAgainFromThePageCacheAndCold(@TempDir Path folder) throws Exception {
        Map<String, Object> result = Experiments.runInItsOwnJvm("re-read", folder, "--rounds", "1");
        assertThat(Experiments.figures(result))
                .containsExactly(
                        "1 MiB, from the page cache, processor time",
                        "8 MiB, from the page cache, processor time",
                        "64 KiB, cold, by the clock",
                        "1 MiB, cold, by the clock",
                        "8 MiB, cold, by the clock");
    }
}
