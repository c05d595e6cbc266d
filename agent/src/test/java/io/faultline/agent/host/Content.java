package io.faultline.agent.host;

import java.nio.file.Files;
import java.nio.file.Path;

/** What the files of the tests hold: bytes that tell their own position, so that a byte in the wrong place shows. */
public final class Content {

    private Content() {}

    /**
     * The byte at a position.
     *
     * @param position the position in the file
     * @return the byte
     */
    public static byte at(long position) {
        return (byte) (position * 31 + (position >> 8) * 17 + (position >> 16) * 7);
    }

    /**
     * Writes a file.
     *
     * @param file the file
     * @param size its size
     * @return the file
     * @throws java.io.IOException if it cannot be written
     */
    public static Path write(Path file, int size) throws java.io.IOException {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = at(i);
        }
        return Files.write(file, bytes);
    }
}
