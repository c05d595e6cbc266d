package io.faultline.bench.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The reads of a process that the kernel answers with an I/O error, as {@code strace} sees them: at the boundary where neither Kafka, nor the JDK, nor an agent can hide one.
 *
 * @param file where strace writes
 */
public record KernelTrace(Path file) {

    private static final Pattern FAILED =
            Pattern.compile("^\\d+ +(\\d+)\\.(\\d+) (sendfile|pread64)\\((.*)\\) = -1 EIO .*");
    private static final int MILLIS_PER_SECOND = 1_000;
    private static final int MICROS_PER_MILLI = 1_000;

    /**
     * A read that failed.
     *
     * @param call sendfile or pread64
     * @param epochMillis when
     * @param arguments what it was called with, the files by their paths
     */
    public record FailedRead(String call, long epochMillis, String arguments) {}

    /**
     * Says whether strace is installed.
     *
     * @return true if it is
     */
    public static boolean isAvailable() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "strace")));
    }

    /**
     * What to put in front of a command. The process stays the child that is started; strace is beside it.
     *
     * @return the beginning of a command
     */
    public List<String> command() {
        return List.of(
                "strace",
                "-D",
                "-f",
                "--seccomp-bpf",
                "-qq",
                "-Z",
                "-y",
                "-ttt",
                "-e",
                "trace=sendfile,pread64",
                "-e",
                "signal=none",
                "-o",
                file.toString());
    }

    /**
     * The failed reads of files in a directory, so far.
     *
     * @param directory the directory
     * @return in the order in which they failed
     * @throws IOException if the trace cannot be read
     */
    public List<FailedRead> failedReads(Path directory) throws IOException {
        List<FailedRead> failed = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            Matcher matcher = FAILED.matcher(line);
            if (matcher.matches() && matcher.group(4).contains("<" + directory + "/")) {
                long millis = Long.parseLong(matcher.group(1)) * MILLIS_PER_SECOND
                        + Long.parseLong(matcher.group(2)) / MICROS_PER_MILLI;
                failed.add(new FailedRead(matcher.group(3), millis, matcher.group(4)));
            }
        }
        return failed;
    }
}
