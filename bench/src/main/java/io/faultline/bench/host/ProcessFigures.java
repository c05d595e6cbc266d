package io.faultline.bench.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a process has taken of the machine so far, as the kernel counts it.
 *
 * @param cpu processor time of all its threads, those that have ended too; in hundredths of a second
 * @param resident bytes of its memory that are in the machine's
 * @param peak the most that {@code resident} has been
 */
public record ProcessFigures(Duration cpu, long resident, long peak) {

    private static final String RESIDENT = "VmRSS:";
    private static final String PEAK = "VmHWM:";
    private static final int BYTES_IN_UNIT = 1 << 10;

    /**
     * Asks for those of a process.
     *
     * @param pid which
     * @return what they are now
     * @throws IOException if it has ended
     */
    public static ProcessFigures of(long pid) throws IOException {
        Duration cpu = ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(() -> new IOException("process " + pid + " has ended"));
        long resident = 0;
        long peak = 0;
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith(RESIDENT)) {
                resident = bytes(line);
            } else if (line.startsWith(PEAK)) {
                peak = bytes(line);
            }
        }
        return new ProcessFigures(cpu, resident, peak);
    }

    private static long bytes(String line) {
        return Long.parseLong(line.replaceAll("\\D", "")) * BYTES_IN_UNIT;
    }
}
