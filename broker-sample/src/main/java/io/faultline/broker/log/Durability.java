package io.faultline.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Changes to files and folders that a power cut finds done or not begun: what is new is flushed before it gets its name, and the
 * folder after that, since a name is content of the folder.
 */
final class Durability {

    private Durability() {}

    /** Replaces a file as a whole. If that fails, for want of room perhaps, the file is as it was and nothing is left beside it. */
    static void replace(Path file, String content) throws IOException {
        Path whole = file.resolveSibling(file.getFileName() + ".tmp");
        try {
            write(whole, content);
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            deleteAfter(failure, whole);
            throw failure;
        }
        flushFolder(file.getParent());
    }

    private static void write(Path file, String content) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    private static void deleteAfter(IOException failure, Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException left) {
            failure.addSuppressed(left);
        }
    }

    /** Makes durable which names a folder has. */
    static void flushFolder(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
