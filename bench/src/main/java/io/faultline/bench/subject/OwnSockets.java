package io.faultline.bench.subject;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The TCP connections of this process, whatever their state, as Linux lists them. */
final class OwnSockets {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final List<Path> TABLES = List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));
    private static final String LINK = "socket:[";
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final String LISTENS = "0A";
    private static final String NO_PORT = ":0000";

    private OwnSockets() {}

    /** How many there are, listening ones apart. */
    static int count() throws IOException {
        Set<String> own = inodes();
        int count = 0;
        for (Path table : TABLES) {
            for (String line : Files.readAllLines(table)) {
                String[] columns = line.strip().split("\\s+");
                if (columns.length > INODE
                        && own.contains(columns[INODE])
                        && !columns[STATE].equals(LISTENS)
                        && !columns[REMOTE].endsWith(NO_PORT)) {
                    count++;
                }
            }
        }
        return count;
    }

    private static Set<String> inodes() throws IOException {
        Set<String> inodes = new HashSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                String target = targetOf(descriptor);
                if (target.startsWith(LINK)) {
                    inodes.add(target.substring(LINK.length(), target.length() - 1));
                }
            }
        } catch (DirectoryIteratorException broken) {
            throw broken.getCause();
        }
        return inodes;
    }

    private static String targetOf(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }
}
