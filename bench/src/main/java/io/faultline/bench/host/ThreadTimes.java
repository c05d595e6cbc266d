package io.faultline.bench.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The processor time of each working thread of a JVM, to the nanosecond, where {@link ProcessFigures} has hundredths of a second.
 *
 * @param nanos by the thread's id
 */
public record ThreadTimes(Map<String, Long> nanos) {

    /** As the kernel has it, which keeps 15 characters: {@code C1 CompilerThread0}, {@code C2 CompilerThread0}. */
    private static final Pattern COMPILER = Pattern.compile("C[12] CompilerThre");

    /**
     * Asks for those of a JVM, but for the threads that compile its methods: what they take is none of the work that is measured.
     *
     * @param pid which
     * @return what the threads have taken so far
     * @throws IOException if it has ended
     */
    public static ThreadTimes withoutCompilers(long pid) throws IOException {
        Map<String, Long> nanos = new HashMap<>();
        List<Path> tasks;
        try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            tasks = all.toList();
        }
        for (Path task : tasks) {
            try {
                if (COMPILER.matcher(Files.readString(task.resolve("comm"))).lookingAt()) {
                    continue;
                }
                String schedstat = Files.readString(task.resolve("schedstat"));
                nanos.put(task.getFileName().toString(), Long.valueOf(schedstat.substring(0, schedstat.indexOf(' '))));
            } catch (IOException ended) { // this thread, meanwhile
            }
        }
        return new ThreadTimes(nanos);
    }

    /**
     * What was taken in between by the threads that are there still.
     *
     * @param earlier those of the same process, earlier
     * @return nanoseconds, not negative
     */
    public long since(ThreadTimes earlier) {
        return nanos.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - earlier.nanos.getOrDefault(thread.getKey(), 0L))
                .sum();
    }
}
