package io.faultline.agent.command;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.faultline.agent.control.ControlSocket;
import io.faultline.agent.control.OtherProcess;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Loads the agent's jar into a running JVM, which may be another user's and in a container of its own: then the jar is copied to where that JVM can read it. */
final class Loading {

    private static final Path TEMPORARY = Path.of("/tmp");

    private final Path jar;
    private final OtherProcess process;

    Loading(Path jar, long pid) {
        this.jar = jar.toAbsolutePath();
        this.process = new OtherProcess(pid);
    }

    /**
     * Loads it.
     *
     * @param options the agent's, or null
     * @throws IOException if that cannot be, with what to do about it in its message
     */
    void load(String options) throws IOException {
        long pid = process.pid();
        if (!Files.exists(Path.of("/proc", Long.toString(pid)))) {
            throw new IOException("cannot attach to process " + pid + ": there is no such process");
        }
        if (process.mountsReadOnly(TEMPORARY)) {
            throw new IOException("cannot attach to process " + pid + ": its /tmp is mounted read-only, and a JVM is "
                    + "attached to by a socket that it makes there. Give it a /tmp that it can write to (a tmpfs; in "
                    + "Kubernetes an emptyDir), or start it with -javaagent");
        }
        String path = visiblePath().toString();
        if (path.indexOf(',') >= 0) { // which separates the agent's options
            throw new IOException("the agent's jar must not lie at a path with a comma: " + path);
        }
        VirtualMachine machine;
        try {
            machine = VirtualMachine.attach(Long.toString(pid));
        } catch (AttachNotSupportedException | IOException refused) {
            throw new IOException("cannot attach to process " + pid + ": " + refused.getMessage() + ". " + advice());
        }
        try {
            machine.loadAgent(path, "jar=" + path + (options == null ? "" : "," + options));
        } catch (AgentLoadException | AgentInitializationException refused) {
            throw new IOException("process " + pid + " refuses the agent: " + refused.getMessage());
        } finally {
            machine.detach();
        }
    }

    private String advice() throws IOException {
        return "Is it a JVM, and not started with -XX:+DisableAttachMechanism? Run this as its user, or as root; where it "
                + "is in a user namespace of its own, run it inside: nsenter --target " + process.pid()
                + " --user --mount --pid --setuid " + process.ownUser() + " java -jar ... attach " + process.ownPid();
    }

    /** The jar where that JVM can read it. */
    private Path visiblePath() throws IOException {
        boolean ours =
                process.user() == new OtherProcess(ProcessHandle.current().pid()).user();
        return ours && process.sharesFiles() ? jar : copied();
    }

    /** A copy in the folder that holds the socket of its agent, owned by its user, and removed when that JVM ends. */
    private Path copied() throws IOException {
        Path folder = ControlSocket.folderOf(process);
        Path here = process.file(folder);
        try {
            if (!Files.isDirectory(here)) {
                Files.createDirectory(
                        here, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                giveAway(here);
            }
            Path copy = here.resolve(process.ownPid() + ".jar");
            Path half = here.resolve(process.ownPid() + ".jar.part");
            Files.copy(jar, half, StandardCopyOption.REPLACE_EXISTING);
            giveAway(half);
            Files.move(half, copy, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return folder.resolve(copy.getFileName());
        } catch (FileSystemException refused) {
            throw new IOException("process " + process.pid() + " cannot be given the agent's jar: " + refused
                    + ". Run this as its user or as root, or put the jar where it can read it and run this inside");
        }
    }

    private void giveAway(Path file) throws IOException {
        Files.setAttribute(file, "unix:uid", process.user());
        Files.setAttribute(file, "unix:gid", process.group());
    }
}
