package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a JVM is started with. */
enum JvmAgent {

    /** Nothing. */
    NONE("no agent") {
        @Override
        List<String> jvmOptions(Layout layout) {
            return List.of();
        }
    },

    /** This project's, with its defaults. */
    FAULTLINE("Faultline") {
        @Override
        List<String> jvmOptions(Layout layout) {
            return List.of("-javaagent:" + layout.agent());
        }

        @Override
        OptionalDouble millisUntilWoven(JvmProcess host) throws IOException, InterruptedException {
            Matcher woven = WOVEN.matcher(host.awaitLine("woven ", PATIENCE));
            if (!woven.find()) {
                throw new IOException("the agent does not say when it had woven:\n" + host.tail());
            }
            return OptionalDouble.of(Double.parseDouble(woven.group(1)));
        }
    },

    /** OpenTelemetry's, which sends nothing anywhere. */
    OPEN_TELEMETRY("OpenTelemetry") {
        @Override
        List<String> jvmOptions(Layout layout) {
            return List.of(
                    "-javaagent:" + layout.openTelemetryAgent(),
                    "-Dotel.traces.exporter=none",
                    "-Dotel.metrics.exporter=none",
                    "-Dotel.logs.exporter=none");
        }
    };

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern WOVEN = Pattern.compile("woven (\\d+) ms after loading");

    private final String text;

    JvmAgent(String text) {
        this.text = text;
    }

    /** The options that put it into a JVM. */
    abstract List<String> jvmOptions(Layout layout);

    /** What it says itself of the time from when it was loaded until it had woven, waiting for that if need be; empty for agents that do not say it. */
    OptionalDouble millisUntilWoven(JvmProcess host) throws IOException, InterruptedException {
        return OptionalDouble.empty();
    }

    /** For people. */
    @Override
    public String toString() {
        return text;
    }
}
