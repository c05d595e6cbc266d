package io.faultline.broker.fuzz;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the fuzzer in a JVM of its own: Jazzer, which is libFuzzer guided by the coverage of the JVM.
 *
 * @param classPath what the JVM needs: the broker, these classes and Jazzer
 * @param seed the same seed begins with the same inputs
 * @param time how long to fuzz
 * @param directory an empty directory for whatever it writes
 */
public record FuzzRun(String classPath, long seed, Duration time, Path directory) {

    /** The committed inputs: a valid request of every announced version, and its like for each kind of mutation. */
    private static final String SEEDS = "seeds.txt";

    /** Jazzer's detectors of connections and of commands: the fuzzer's own connection, and kcat, would be findings. */
    private static final String DISABLED = "com.code_intelligence.jazzer.sanitizers.ServerSideRequestForgery"
            + ":com.code_intelligence.jazzer.sanitizers.OsCommandInjection";

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /**
     * What came of it.
     *
     * @param report the report's lines, empty if the fuzzer ended before it could be written
     * @param output the end of what the fuzzer printed; a finding is in it
     * @param held whether nothing was found and all that has to hold did
     */
    public record Result(List<String> report, String output, boolean held) {}

    /**
     * Fuzzes.
     *
     * @return what came of it
     * @throws IOException if the JVM cannot be started
     * @throws InterruptedException if interrupted; the JVM is ended
     */
    public Result run() throws IOException, InterruptedException {
        Path report = directory.resolve("report.txt");
        Path output = directory.resolve("output.txt");
        Path temporary = Files.createDirectories(directory.resolve("tmp"));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        // One core is what fuzzing may take of a machine that does other things, too.
                        "-XX:+UseSerialGC",
                        "-XX:CICompilerCount=2",
                        "-XX:+EnableDynamicAgentLoading",
                        "-Xshare:off",
                        "-Dslf4j.provider=" + FaultLog.class.getName(),
                        "-D" + FuzzReport.FILE + "=" + report,
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        classPath,
                        "com.code_intelligence.jazzer.Jazzer",
                        "--target_class=" + BrokerFuzzer.class.getName(),
                        "--instrumentation_includes=io.faultline.broker.**",
                        "--instrumentation_excludes=io.faultline.broker.fuzz.**",
                        // Its other detectors stay, such as that of paths that lead out of the log directory.
                        "--disabled_hooks=" + DISABLED,
                        "--reproducer_path=" + directory,
                        "-seed=" + seed,
                        "-max_total_time=" + time.toSeconds(),
                        "-max_len=4096",
                        "-timeout=120",
                        "-rss_limit_mb=0",
                        "-print_final_stats=1",
                        "-artifact_prefix=" + directory + "/",
                        Files.createDirectories(directory.resolve("corpus")).toString(),
                        unpackSeeds().toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(time.plus(PATIENCE).toSeconds(), TimeUnit.SECONDS)) {
                return new Result(List.of(), "the fuzzer does not end\n" + tail(output), false);
            }
        } finally {
            process.destroyForcibly();
        }
        List<String> lines = Files.exists(report) ? Files.readAllLines(report) : List.of();
        boolean held = process.exitValue() == 0
                && !lines.isEmpty()
                && lines.stream().noneMatch(line -> line.startsWith(FuzzReport.FAILED));
        return new Result(lines, tail(output), held);
    }

    /** One file for each line: that is what the fuzzer reads. */
    private Path unpackSeeds() throws IOException {
        Path seeds = Files.createDirectories(directory.resolve("seeds"));
        try (InputStream in = FuzzRun.class.getResourceAsStream(SEEDS);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
            int count = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.startsWith("#")) {
                    byte[] input = HexFormat.of().parseHex(line.substring(line.lastIndexOf(' ') + 1));
                    Files.write(seeds.resolve(Integer.toString(count++)), input);
                }
            }
        }
        return seeds;
    }

    private static String tail(Path output) throws IOException {
        List<String> lines = Files.readAllLines(output, StandardCharsets.ISO_8859_1);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 80), lines.size()));
    }
}
