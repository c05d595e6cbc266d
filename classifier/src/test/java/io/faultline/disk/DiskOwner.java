package io.faultline.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** A JVM of its own that makes one disk of each kind, lets them fail, and then ends, or is killed. */
final class DiskOwner implements AutoCloseable {

    private static final String READY = "ready";

    private final Process process;

    private DiskOwner(Process process) {
        this.process = process;
    }

    /** Returns once the disks are there. */
    static DiskOwner start() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        URI classes = URI.create(DiskOwner.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString());
        Process process = new ProcessBuilder(
                        java,
                        "-cp",
                        Path.of(classes).toString(),
                        "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                        DiskOwner.class.getName())
                .redirectErrorStream(true)
                .start();
        String said = process.inputReader().readLine();
        if (!READY.equals(said)) {
            process.destroyForcibly();
            throw new IOException("No disks: " + said);
        }
        return new DiskOwner(process);
    }

    public static void main(String[] arguments) throws IOException {
        FailingDisk failing = FailingDisk.btrfs();
        Path file = Files.write(failing.directory().resolve("segment"), new byte[10_000]);
        failing.poison(file, 0, 1);
        TruncatedDisk truncated = TruncatedDisk.ext4();
        truncated.truncate(Files.write(truncated.directory().resolve("segment"), new byte[10_000]), 0);
        // One over the other: the lower one stays busy until the upper one is gone.
        HungDisk hung = HungDisk.bindfs(failing.directory());
        hung.hang();
        System.out.println(READY);
        System.in.read();
    }

    long pid() {
        return process.pid();
    }

    /** Lets it end in an orderly way. */
    void end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        process.waitFor();
    }

    /** Ends it as a crash does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
