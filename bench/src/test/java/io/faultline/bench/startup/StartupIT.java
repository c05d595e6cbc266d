package io.faultline.bench.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.Layout;
import io.faultline.bench.report.Report;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** That the experiment works; what it measures is for quiet machines to say. */
class StartupIT {

    @Test
    void theExperimentPrintsEachFigureWithItsBound() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        new Startup(Layout.ofThisBuild(), 2)
                .run(new Report("startup", new PrintStream(printed, true, StandardCharsets.UTF_8)));
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("FAULTLINE")
                .contains("OPEN_TELEMETRY")
                .contains("control")
                .contains("at most 5 %")
                .contains("at most 20 %");
    }
}
