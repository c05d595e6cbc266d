package io.faultline.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder of this user in which agents listen. */
final class ControlFolder {

    private ControlFolder() {}

    /** Where the agent of a process listens. */
    static Path socketOf(long pid) {
        return ofThisUser().resolve(pid + ".sock");
    }

    private static Path ofThisUser() {
        try {
            return Path.of("/tmp", ".faultline-" + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException noProc) {
            throw new UncheckedIOException(noProc);
        }
    }

    /** Clears away the socket of a process that was killed. */
    static void remove(Path socket) {
        try {
            Files.deleteIfExists(socket);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
