package io.faultline.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** What the kernel says about processes, mounts and loop devices; reading it never touches a disk. */
final class Proc {

    private static final Path PROC = Path.of("/proc");
    private static final Path BLOCK_DEVICES = Path.of("/sys/block");

    private Proc() {}

    /** A process beyond the reuse of its pid. The start time is in clock ticks since the boot. */
    record Identity(long pid, long startTicks) {

        static Identity self() throws IOException {
            return of(ProcessHandle.current().pid())
                    .orElseThrow(() -> new IOException("This process is missing in " + PROC));
        }

        static Optional<Identity> of(long pid) {
            return stat(PROC.resolve(pid + "/stat")).map(stat -> new Identity(pid, stat.startTicks()));
        }

        /** A zombie does not count: it holds nothing any more. */
        boolean isAlive() {
            return stat(PROC.resolve(pid + "/stat"))
                    .filter(stat -> stat.startTicks() == startTicks && stat.state() != 'Z' && stat.state() != 'X')
                    .isPresent();
        }
    }

    private record Stat(char state, long startTicks) {}

    private static Optional<Stat> stat(Path file) {
        try {
            String line = Files.readString(file, StandardCharsets.ISO_8859_1);
            // The command name, in parentheses, may itself hold blanks and parentheses.
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
            return Optional.of(new Stat(fields[0].charAt(0), Long.parseLong(fields[19])));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The states of all threads of a process, such as {@code T} for stopped. */
    static List<Character> threadStates(long pid) throws IOException {
        List<Character> states = new ArrayList<>();
        try (Stream<Path> threads = Files.list(PROC.resolve(pid + "/task"))) {
            threads.forEach(
                    thread -> stat(thread.resolve("stat")).map(Stat::state).ifPresent(states::add));
        }
        return states;
    }

    static List<String> commandLine(long pid) {
        try {
            String line = Files.readString(PROC.resolve(pid + "/cmdline"), StandardCharsets.UTF_8);
            return List.of(line.split("\0"));
        } catch (IOException e) {
            return List.of();
        }
    }

    /**
     * A mounted file system.
     *
     * @param source what is mounted, such as {@code /dev/loop0}
     * @param deviceMinor the minor number of its device
     */
    record Mount(String source, int deviceMinor) {}

    /** What is mounted at a directory. */
    static Optional<Mount> mount(Path directory) {
        Optional<Mount> topmost = Optional.empty();
        for (String line : mounts()) {
            List<String> fields = List.of(line.split(" "));
            if (unescape(fields.get(4)).equals(directory.toString())) {
                String source = unescape(fields.get(fields.indexOf("-") + 2));
                String device = fields.get(2);
                topmost = Optional.of(new Mount(source, Integer.parseInt(device.substring(device.indexOf(':') + 1))));
            }
        }
        return topmost;
    }

    private static List<String> mounts() {
        try {
            return Files.readAllLines(PROC.resolve("self/mountinfo"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String unescape(String field) {
        return field.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    /** The loop devices that are attached to an image file. */
    static List<Path> loopDevices(Path image) {
        try (Stream<Path> devices = Files.list(BLOCK_DEVICES)) {
            return devices.filter(device -> backingFile(device).equals(image.toString()))
                    .map(device -> Path.of("/dev").resolve(device.getFileName()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String backingFile(Path device) {
        try {
            return Files.readString(device.resolve("loop/backing_file")).stripTrailing();
        } catch (IOException e) {
            return ""; // no loop device, or none any more
        }
    }

    /** Waits for a change in the kernel that comes with no event; returns whether it came. */
    static boolean await(Duration patience, BooleanSupplier change) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!change.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
        return true;
    }
}
