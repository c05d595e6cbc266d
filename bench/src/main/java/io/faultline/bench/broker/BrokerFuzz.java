package io.faultline.bench.broker;

import io.faultline.bench.Layout;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.broker.fuzz.FuzzRun;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Fuzzes the bundled broker for longer than its tests do. */
@Command(
        name = "broker-fuzz",
        description = {
            "mutated requests of every announced version: the broker answers or closes, and is as before afterwards",
            "It holds if the fuzzer finds nothing that a broker must not do, and the broker serves afterwards as before."
        },
        mixinStandardHelpOptions = true)
public final class BrokerFuzz extends Experiment {

    private static final double SECONDS_PER_MINUTE = 60;

    @Option(names = "--minutes", defaultValue = "60", description = "How long it goes on; ${DEFAULT-VALUE} by default.")
    private double minutes;

    @Option(names = "--seed", defaultValue = "1", description = "What it begins with; ${DEFAULT-VALUE} by default.")
    private long seed;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Where the inputs that cover something new, and findings, are kept; nowhere by default.")
    private Path directory;

    /** Made by the command line. */
    public BrokerFuzz() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("minutes", minutes);
        report.fact("seed", seed);
        if (directory != null) {
            fuzz(layout, report, Files.createDirectories(directory.toAbsolutePath()));
        } else {
            try (TemporaryFolder folder = TemporaryFolder.named("broker-fuzz")) {
                fuzz(layout, report, folder.path());
            }
        }
    }

    private void fuzz(Layout layout, Report report, Path kept) throws IOException, InterruptedException {
        report.say("%.1f minutes with seed %d", minutes, seed);
        Duration time = Duration.ofSeconds(Math.round(minutes * SECONDS_PER_MINUTE));
        FuzzRun.Result result = new FuzzRun(libraries(layout), seed, time, kept).run();
        result.report().forEach(line -> report.say("%s", line));
        if (!result.held()) {
            System.out.println(result.output());
        }
        report.claim(result.held(), "nothing is found, and all that has to hold afterwards does");
    }

    /** Everything beside the jar that this is in. */
    private static String libraries(Layout layout) throws IOException {
        try (Stream<Path> jars = Files.list(layout.bench().resolveSibling("lib"))) {
            return jars.map(Path::toString).sorted().collect(Collectors.joining(File.pathSeparator));
        }
    }
}
