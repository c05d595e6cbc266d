package io.faultline.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the experiment works; what it measures is for quiet machines to say. */
class TransferOverheadIT {

    @Test
    void eachSizeIsMeasuredToEachTargetWithOneThreadAndWithTwo(@TempDir Path folder) throws Exception {
        Map<String, Object> result = Experiments.runInItsOwnJvm("transfer-overhead", folder, "--rounds", "1");
        assertThat(Experiments.figures(result))
                .hasSize(18)
                .contains("1 B to a socket, 1 thread", "1 MiB to /dev/null, 2 threads", "a call, 1 thread");
    }
}
