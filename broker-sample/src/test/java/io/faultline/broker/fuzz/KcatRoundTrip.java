package io.faultline.broker.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Lines that kcat produces and consumes again. */
final class KcatRoundTrip {

    private static final int LINES = 1_000;
    private static final long PATIENCE_SECONDS = 60;

    private KcatRoundTrip() {}

    /** Throws a finding if the lines do not come back. */
    static void through(String bootstrapServers) throws IOException, InterruptedException {
        Path scratch = Files.createTempDirectory("kcat");
        Path lines = Files.writeString(
                scratch.resolve("lines"),
                IntStream.range(0, LINES)
                        .mapToObj(line -> "line " + line + "\n")
                        .collect(Collectors.joining()));
        Path none = Files.createFile(scratch.resolve("none"));
        run(scratch, lines, "kcat", "-b", bootstrapServers, "-P", "-t", "after-fuzzing", "-z", "lz4");
        String back = run(scratch, none, "kcat", "-b", bootstrapServers, "-C", "-t", "after-fuzzing", "-e", "-q");
        if (!back.equals(Files.readString(lines))) {
            throw new Finding("kcat consumed " + back.lines().count() + " lines of " + LINES);
        }
    }

    private static String run(Path scratch, Path in, String... command) throws IOException, InterruptedException {
        Path out = scratch.resolve("out");
        Path err = scratch.resolve("err");
        Process process = new ProcessBuilder(List.of(command))
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        if (!ended || process.exitValue() != 0) {
            throw new Finding(String.join(" ", command) + " failed: " + Files.readString(err));
        }
        return Files.readString(out, StandardCharsets.UTF_8);
    }
}
