package io.faultline.classifier;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mounts of this process, read from {@code /proc/self/mountinfo} and kept for a while. Reading it touches no disk, so it cannot
 * hang with one; {@code Files.getFileStore} can.
 *
 * @see <a href="https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html">proc_pid_mountinfo(5)</a>
 */
final class MountTable {

    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");
    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-3][0-7]{2})");
    private static final long FRESH_NANOS = 10_000_000_000L;

    private volatile Snapshot snapshot = new Snapshot(List.of(), System.nanoTime() - FRESH_NANOS);

    /** The mounts as of some moment. */
    private record Snapshot(List<Mount> mounts, long readAt) {}

    /**
     * Finds the mount with the longest mount point above a file.
     *
     * @param file an absolute name
     * @return the mount, {@link Mount#UNKNOWN} where the table could not be read
     */
    Mount mountOf(String file) {
        Mount longest = Mount.UNKNOWN;
        for (Mount mount : current()) {
            // Later lines are mounted over earlier ones with the same mount point.
            // A single file may be a mount of its own, as in a container.
            if (mount.point().length() >= longest.point().length()
                    && (file.equals(mount.point()) || OwnersRootsMounts.liesBelow(file, mount.point()))) {
                longest = mount;
            }
        }
        return longest;
    }

    private List<Mount> current() {
        Snapshot last = snapshot;
        long now = System.nanoTime();
        if (now - last.readAt < FRESH_NANOS) {
            return last.mounts;
        }
        List<Mount> mounts = last.mounts;
        try {
            // Not readAllLines: a single name that is no UTF-8 would cost us the whole table.
            mounts = parse(new String(Files.readAllBytes(MOUNTINFO), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        } catch (IOException | RuntimeException notLinux) { // then there are no mounts to name
        }
        snapshot = new Snapshot(mounts, now);
        return mounts;
    }

    /** Takes mount point, type and source out of each line of a mountinfo file. */
    static List<Mount> parse(List<String> lines) {
        List<Mount> mounts = new ArrayList<>(lines.size());
        for (String line : lines) {
            String[] fields = line.split(" ");
            int separator = 6;
            while (separator < fields.length && !fields[separator].equals("-")) {
                separator++;
            }
            if (separator + 2 < fields.length) {
                mounts.add(new Mount(
                        unescape(fields[4]), unescape(fields[separator + 1]), unescape(fields[separator + 2])));
            }
        }
        return mounts;
    }

    /** Undoes the octal escapes of space, tab, newline and backslash. */
    private static String unescape(String field) {
        return ESCAPE.matcher(field).replaceAll(escape -> {
            char plain = (char) Integer.parseInt(escape.group(1), 8);
            return Matcher.quoteReplacement(String.valueOf(plain));
        });
    }
}
