package io.faultline.bench.report;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Where a report's figures come from. */
final class Machine {

    private static final int BYTES_PER_MEBIBYTE = 1 << 20;
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private Machine() {}

    /** The processor's name as the kernel has it, else the architecture. */
    static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(SYSTEM.getArch());
        } catch (IOException elsewhere) {
            return SYSTEM.getArch();
        }
    }

    static long memoryMebibytes() {
        return SYSTEM.getTotalMemorySize() / BYTES_PER_MEBIBYTE;
    }

    /** Threads that ran or wanted to, on average over the last minute. */
    static double load() {
        return SYSTEM.getSystemLoadAverage();
    }
}
