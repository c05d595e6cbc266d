package io.faultline.disk;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The one folder in which all disks of a machine have theirs, named for the pid and start time of the JVM that made
 * them. So whatever a killed JVM left behind is found, and cleared away, when the next disk is made; and nothing is
 * touched that was not made here.
 *
 * <p>JVMs need no lock among themselves: every step of clearing away may be done twice.
 */
final class DiskRegistry {

    private static final String NAME = "faultline-disks";
    private static final Pattern FOLDER = Pattern.compile("[a-z0-9]+-(\\d+)-(\\d+)-(\\d+)");
    private static final AtomicLong NUMBERS = new AtomicLong();

    /** The disks of this JVM, the newest first: it may lie over an older one, and keeps that one busy. */
    private static final Deque<DiskFolder> OPEN = new ConcurrentLinkedDeque<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(DiskRegistry::closeAll, NAME));
    }

    private DiskRegistry() {}

    /** Where the folders of all disks are. */
    static Path path() throws IOException {
        return Path.of(System.getProperty("java.io.tmpdir")).toRealPath().resolve(NAME);
    }

    /** Makes the folder of a new disk. */
    static DiskFolder newFolder(String kind) throws IOException {
        clearAway();
        Proc.Identity owner = Proc.Identity.self();
        String name = kind + "-" + owner.pid() + "-" + owner.startTicks() + "-" + NUMBERS.incrementAndGet();
        while (true) {
            try {
                Path folder = Files.createDirectory(makePath().resolve(name));
                DiskFolder disk = new DiskFolder(folder);
                OPEN.addFirst(disk);
                Files.createDirectory(disk.mountPoint());
                return disk;
            } catch (NoSuchFileException expected) {
                // Another process removed the registry just now, since it was empty.
                continue;
            }
        }
    }

    private static Path makePath() throws IOException {
        Path path = path();
        try {
            Files.createDirectory(
                    path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException expected) {
            // Whoever owns this folder decides what we unmount and delete.
            // One look at both: another process may remove the folder at any time.
            Map<String, Object> attributes =
                    Files.readAttributes(path, "unix:uid,isDirectory", LinkOption.NOFOLLOW_LINKS);
            Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            if (!attributes.get("isDirectory").equals(true)
                    || !attributes.get("uid").equals(self)) {
                throw new IOException(path + " is not a folder of this user", expected);
            }
        }
        return path;
    }

    /** Forgets a disk that is closed; its folder is gone. */
    static void remove(DiskFolder disk) throws IOException {
        OPEN.remove(disk);
        try {
            Files.deleteIfExists(path());
        } catch (DirectoryNotEmptyException expected) {
            // other disks
        }
    }

    private static void clearAway() throws IOException {
        List<Path> leftBehind;
        try (Stream<Path> folders = Files.list(makePath())) {
            leftBehind = folders.filter(DiskRegistry::isOwnerDead)
                    .sorted(Comparator.comparing(DiskRegistry::number).reversed())
                    .toList();
        } catch (NoSuchFileException expected) {
            return; // Another process removed the registry just now, since it was empty.
        }
        for (Path folder : leftBehind) {
            new DiskFolder(folder).abandon();
        }
    }

    private static boolean isOwnerDead(Path folder) {
        Matcher name = FOLDER.matcher(folder.getFileName().toString());
        return name.matches()
                && !new Proc.Identity(Long.parseLong(name.group(1)), Long.parseLong(name.group(2))).isAlive();
    }

    private static long number(Path folder) {
        Matcher name = FOLDER.matcher(folder.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(3)) : 0;
    }

    private static void closeAll() {
        for (DiskFolder disk : OPEN) {
            try {
                disk.abandon();
            } catch (IOException e) {
                System.err.println("A disk is left behind: " + e);
            }
        }
    }
}
