package io.faultline.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that leaves no room on its disk. It is for small disks: it is really written. */
public final class Ballast {

    private static final int CHUNK = 1 << 20;
    private static final int SMALLEST = 1;

    private final Path file;

    /**
     * Names a file, which is not made yet.
     *
     * @param file where it will be; the disk that is filled is the one it lies on
     */
    public Ballast(Path file) {
        this.file = file;
    }

    /**
     * Grows until not one byte more can be written.
     *
     * @throws IOException if the file cannot be made, or written to the disk
     */
    public void fill() throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            long before;
            do {
                before = channel.size();
                for (int size = CHUNK; size >= SMALLEST; size /= 2) {
                    writeWhileThereIsRoom(channel, size);
                }
                // What is only reserved so far, for other files too, is allocated; that may take less, and leave room
                // again.
                Command.run("sync", "-f", file.toString());
            } while (channel.size() > before);
        }
    }

    private static void writeWhileThereIsRoom(FileChannel channel, int size) throws IOException {
        while (true) {
            try {
                if (channel.write(ByteBuffer.allocate(size)) < size) {
                    return;
                }
            } catch (FileSystemException unexpected) {
                throw unexpected;
            } catch (IOException full) {
                return;
            }
        }
    }

    /**
     * Makes room again.
     *
     * @throws IOException if the file cannot be deleted
     */
    public void drop() throws IOException {
        Files.deleteIfExists(file);
    }
}
