package io.faultline.bench.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * Keeps a process on one processor for a while. What the scheduler moves from one to another finds its caches cold, and takes the more
 * time.
 */
public final class Affinity {

    private static final String ALLOWED = "Cpus_allowed_list:";

    private Affinity() {}

    /**
     * Does something while all threads of a process, and those that they begin, are on one processor. Then it may run where it
     * might before.
     *
     * @param pid which process
     * @param processor the number of the processor, from 0
     * @param what what is done
     * @param <T> its result
     * @return its result
     * @throws IOException if there is no such processor or process, or no {@code taskset}
     * @throws Exception what is done throws
     */
    public static <T> T during(long pid, int processor, Callable<T> what) throws Exception {
        String before = allowed(pid);
        set(pid, Integer.toString(processor));
        try {
            return what.call();
        } finally {
            if (ProcessHandle.of(pid).isPresent()) {
                set(pid, before);
            }
        }
    }

    private static String allowed(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
                .filter(line -> line.startsWith(ALLOWED))
                .map(line -> line.substring(ALLOWED.length()).strip())
                .findFirst()
                .orElseThrow(() -> new IOException("the kernel does not say on which processors " + pid + " may run"));
    }

    private static void set(long pid, String processors) throws IOException, InterruptedException {
        Process taskset = new ProcessBuilder(
                        "taskset", "--all-tasks", "--cpu-list", "--pid", processors, Long.toString(pid))
                .redirectErrorStream(true)
                .start();
        String said = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (taskset.waitFor() != 0) {
            throw new IOException("taskset: " + said.strip());
        }
    }
}
