package io.faultline.broker.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.Kcat;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerFuzzIT {

    @TempDir
    Path directory;

    @BeforeAll
    static void requireKcat() {
        Kcat.require();
    }

    @Test
    void theBrokerAnswersOrClosesWhateverIsSentAndIsAsBeforeAfterwards() throws Exception {
        Duration time = Duration.ofSeconds(Long.parseLong(System.getProperty("fuzz.seconds")));
        // Behind the manifest jar that tests are started with.
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        FuzzRun.Result result =
                new FuzzRun(classPath, Long.parseLong(System.getProperty("fuzz.seed")), time, directory).run();
        assertThat(result.held())
                .as("%s%n%s", String.join("\n", result.report()), result.output())
                .isTrue();
    }
}
