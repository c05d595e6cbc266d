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
    private static final int QUIET_ROUNDS = 4;

    private final Path file;
    private int smallFiles;

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
            int unchanged = 0;
            while (unchanged < QUIET_ROUNDS) {
                long before = channel.size();
                for (int size = CHUNK; size >= SMALLEST; size /= 2) {
                    writeWhileThereIsRoom(channel, size);
                }
                // What is only reserved so far, for other files too, is allocated; that may take less, and leave room
                // again. What was
                // deleted comes free when its transaction has ended, which is a moment after that.
                Command.run("sync", "-f", file.toString());
                boolean grown = channel.size() > before | addSmallFiles();
                unchanged = grown ? 0 : unchanged + 1;
            }
        }
    }

    /** Small files have room of their own, which the file system set aside for them. */
    private boolean addSmallFiles() throws IOException {
        boolean added = false;
        while (true) {
            Path small = file.resolveSibling(file.getFileName() + "." + smallFiles);
            try (FileChannel channel = FileChannel.open(small, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.allocate(SMALLEST));
                channel.force(true);
                smallFiles++;
                added = true;
            } catch (IOException full) {
                Files.deleteIfExists(small);
                return added;
            }
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
        for (int index = 0; index < smallFiles; index++) {
            Files.deleteIfExists(file.resolveSibling(file.getFileName() + "." + index));
        }
        smallFiles = 0;
    }
}
