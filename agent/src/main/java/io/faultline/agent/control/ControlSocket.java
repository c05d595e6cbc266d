package io.faultline.agent.control;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Where the agent of a process listens: a Unix domain socket in a folder that only the user of that process can enter. Beside HotSpot's own attach files in {@code /tmp},
 * whatever {@code java.io.tmpdir} says, since the command line does not know the host's.
 */
public final class ControlSocket {

    private static final Path TEMPORARY = Path.of("/tmp");
    private static final String FOLDER_PREFIX = ".faultline-";
    private static final String SUFFIX = ".sock";
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private ControlSocket() {}

    /**
     * The socket of a process, which may be in a container of its own.
     *
     * @param pid its process id, as this process sees it
     * @return the socket's path
     * @throws IOException if there is no such process
     */
    public static Path of(long pid) throws IOException {
        OtherProcess process = new OtherProcess(pid);
        return process.file(folder(process.ownUser())).resolve(process.ownPid() + SUFFIX);
    }

    /**
     * The socket of this process, in a folder that is made for it.
     *
     * @return the socket's path
     * @throws IOException if the folder cannot be had, or belongs to somebody else
     */
    static Path ofThisProcess() throws IOException {
        // Not /proc/self: that is a link, and the link is root's.
        int user = userOf(Path.of("/proc", Long.toString(ProcessHandle.current().pid())));
        Path folder = folder(user);
        try {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException there) {
            // Anybody may have made it before us in a folder that all can write to.
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    || userOf(folder) != user
                    || !Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS)
                            .equals(OWNER_ONLY)) {
                throw new IOException(folder + " is not a folder of this user's alone");
            }
        }
        return folder.resolve(ProcessHandle.current().pid() + SUFFIX);
    }

    /**
     * The folder of a process, in which its socket is or would be.
     *
     * @param process the process
     * @return the folder as the process sees it
     * @throws IOException if there is no such process
     */
    public static Path folderOf(OtherProcess process) throws IOException {
        return folder(process.ownUser());
    }

    /**
     * The processes whose agents can be talked to by this user. Sockets that a killed process left behind are removed.
     *
     * @return process ids; root sees those of all users
     * @throws IOException if the folder cannot be read
     */
    public static List<Long> processes() throws IOException {
        List<Long> found = new ArrayList<>();
        for (Path folder : list(TEMPORARY)) {
            if (folder.getFileName().toString().startsWith(FOLDER_PREFIX) && Files.isReadable(folder)) {
                for (Path socket : listIfThere(folder)) {
                    String name = socket.getFileName().toString();
                    if (name.matches("\\d+\\" + SUFFIX) && !isAbandoned(socket)) {
                        found.add(Long.valueOf(name.substring(0, name.length() - SUFFIX.length())));
                    }
                }
            }
        }
        return found;
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /** A folder goes with the last process that it serves. */
    private static List<Path> listIfThere(Path folder) {
        try {
            return list(folder);
        } catch (IOException gone) {
            return List.of();
        }
    }

    /** A process that we do not see may still be there, in a container that shares the folder: then it answers. */
    private static boolean isAbandoned(Path socket) {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.connect(address(socket));
            return false;
        } catch (ConnectException refused) {
            String pid = socket.getFileName().toString().replace(SUFFIX, "");
            if (!Files.exists(Path.of("/proc", pid))) {
                deleteQuietly(socket);
            }
            return true;
        } catch (IOException gone) { // with its process, since we looked
            return true;
        }
    }

    private static void deleteQuietly(Path socket) {
        try {
            Files.deleteIfExists(socket);
        } catch (IOException ignored) { // then it stays, and is not listed
        }
    }

    static UnixDomainSocketAddress address(Path socket) {
        return UnixDomainSocketAddress.of(socket);
    }

    private static Path folder(int user) {
        return TEMPORARY.resolve(FOLDER_PREFIX + user);
    }

    private static int userOf(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}
