package io.faultline.broker.fuzz;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What the broker holds of its JVM.
 *
 * @param heapBytes the heap in use after a collection, in bytes
 * @param threads its threads
 * @param descriptors the sockets of the JVM, and its files below the temporary directory
 */
record Footprint(long heapBytes, long threads, long descriptors) {

    /** Classes that are loaded late, and what libraries keep for each thread. */
    private static final long TOLERATED_HEAP = 8 << 20;

    /** The one that moves partitions is made for the first move. */
    private static final long LATE_THREADS = 1;

    static Footprint now() throws IOException {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("faultline-broker"))
                .count();
        return new Footprint(runtime.totalMemory() - runtime.freeMemory(), threads, countDescriptors());
    }

    private static long countDescriptors() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir")).toRealPath();
        long count = 0;
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    Path target = Files.readSymbolicLink(descriptor);
                    if (target.startsWith(temporary.resolve("broker"))
                            || target.toString().startsWith("socket:")) {
                        count++;
                    }
                } catch (NoSuchFileException closed) {
                    // It was closed meanwhile, as the one that lists them is.
                    continue;
                }
            }
        }
        return count;
    }

    /** Whether it is no more than another. */
    boolean within(Footprint baseline) {
        return heapBytes <= baseline.heapBytes + TOLERATED_HEAP
                && threads <= baseline.threads + LATE_THREADS
                && descriptors <= baseline.descriptors;
    }

    @Override
    public String toString() {
        return heapBytes / 1024 + " KiB heap, " + threads + " threads, " + descriptors + " descriptors";
    }
}
