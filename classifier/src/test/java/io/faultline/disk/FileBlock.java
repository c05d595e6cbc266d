package io.faultline.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A block of a file, and where it lies in the disk's image.
 *
 * @param file the name of the file when it was looked up
 * @param fileKey what stays of the file when it is renamed
 * @param position where the block begins in the file
 * @param imageOffset where it begins in the image
 */
record FileBlock(Path file, Object fileKey, long position, long imageOffset) {

    static final int SIZE = 4096;

    static Object keyOf(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    boolean isIn(Object otherFileKey, long otherPosition, long length) {
        return fileKey.equals(otherFileKey) && position + SIZE > otherPosition && position - otherPosition < length;
    }

    boolean isStillAt(Path path) {
        try {
            return fileKey.equals(keyOf(path));
        } catch (IOException e) {
            return false;
        }
    }

    static boolean isReadable(FileChannel channel, long position) throws IOException {
        try {
            channel.read(ByteBuffer.allocate(1), position);
            return true;
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            return false;
        }
    }
}
