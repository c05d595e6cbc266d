package io.faultline.agent.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * Another process as the command line sees it from outside and as it sees itself: in a container it has another number, another user's number and other files.
 *
 * @param pid its number out here
 */
public record OtherProcess(long pid) {

    private Path proc(String entry) {
        return Path.of("/proc", Long.toString(pid), entry);
    }

    /**
     * The number that it has in its own namespace.
     *
     * @return its own pid
     * @throws IOException if there is no such process
     */
    public long ownPid() throws IOException {
        for (String line : Files.readAllLines(proc("status"))) {
            if (line.startsWith("NSpid:")) {
                String[] numbers = line.substring("NSpid:".length()).strip().split("\\s+");
                return Long.parseLong(numbers[numbers.length - 1]);
            }
        }
        return pid;
    }

    /**
     * The user that it runs as, out here.
     *
     * @return a user id
     * @throws IOException if there is no such process
     */
    public int user() throws IOException {
        return (Integer) Files.getAttribute(proc(""), "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * The group that it runs as, out here.
     *
     * @return a group id
     * @throws IOException if there is no such process
     */
    public int group() throws IOException {
        return (Integer) Files.getAttribute(proc(""), "unix:gid", LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * The user that it runs as in its own namespace.
     *
     * @return its own user id
     * @throws IOException if there is no such process
     */
    public int ownUser() throws IOException {
        long user = user();
        for (String line : Files.readAllLines(proc("uid_map"))) {
            String[] numbers = line.strip().split("\\s+");
            long inside = Long.parseLong(numbers[0]);
            long outside = Long.parseLong(numbers[1]);
            if (user >= outside && user < outside + Long.parseLong(numbers[2])) {
                return (int) (inside + user - outside);
            }
        }
        return (int) user;
    }

    /**
     * A file of its file system.
     *
     * @param path an absolute path, as it sees it
     * @return the path out here
     */
    public Path file(Path path) {
        Path root = proc("root");
        // Where we may not look through that link, its files are taken to be ours.
        return Files.isReadable(root) ? root.resolve(path.toString().substring(1)) : path;
    }

    /**
     * Says whether this process sees the same files.
     *
     * @return false if it is known to see others
     */
    public boolean sharesFiles() {
        try {
            Path ours = Files.readSymbolicLink(Path.of("/proc/self/ns/mnt"));
            return ours.equals(Files.readSymbolicLink(proc("ns/mnt")))
                    && Files.isSameFile(proc("root"), Path.of("/proc/self/root"));
        } catch (IOException unreadable) {
            return true;
        }
    }

    /**
     * Says whether a directory of its lies on a mount that it cannot write to.
     *
     * @param directory an absolute path, as it sees it
     * @return true if it is mounted read-only
     * @throws IOException if there is no such process
     */
    public boolean mountsReadOnly(Path directory) throws IOException {
        String options = "";
        int longest = -1;
        List<String> mounts = Files.readAllLines(proc("mountinfo"));
        for (String mount : mounts) {
            String[] fields = mount.split(" ");
            Path point = Path.of(fields[4]);
            if (directory.startsWith(point) && point.getNameCount() >= longest) {
                longest = point.getNameCount();
                options = fields[5];
            }
        }
        return List.of(options.split(",")).contains("ro");
    }
}
