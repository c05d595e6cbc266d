package io.faultline.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The blocks of an image that were spoiled, under the file system that is mounted from it. */
final class BadBlocks {

    private static final int SPOILED = 64;

    private final LoopImage image;
    private final byte[] noise = new byte[SPOILED];
    private final Map<Long, BadBlock> byImageOffset = new HashMap<>();

    private record BadBlock(FileBlock block, byte[] good, byte[] bad) {}

    BadBlocks(LoopImage image) {
        this.image = image;
        // Random, so that a block which the file system has since written anew is not mistaken for the bad one.
        new SecureRandom().nextBytes(noise);
    }

    /** Spoils blocks in the image. Those that are bad already stay bad, and are not among the returned. */
    List<FileBlock> spoil(List<FileBlock> blocks) throws IOException {
        List<FileBlock> spoiled = new ArrayList<>();
        try (FileChannel channel = image.open()) {
            for (FileBlock block : blocks) {
                if (isBad(channel, block.imageOffset())) {
                    continue;
                }
                byte[] good = read(channel, block.imageOffset());
                byte[] bad = new byte[SPOILED];
                for (int i = 0; i < SPOILED; i++) {
                    bad[i] = (byte) (good[i] ^ noise[i]);
                }
                byImageOffset.put(block.imageOffset(), new BadBlock(block, good, bad));
                spoiled.add(block);
                write(channel, block.imageOffset(), bad);
            }
        } catch (IOException e) {
            restore(spoiled::contains);
            throw e;
        }
        return spoiled;
    }

    /** Writes back what the blocks held, unless the file system has written something else there since. */
    List<FileBlock> restore(Predicate<FileBlock> which) throws IOException {
        List<FileBlock> restored = new ArrayList<>();
        try (FileChannel channel = image.open()) {
            for (BadBlock bad : List.copyOf(byImageOffset.values())) {
                if (which.test(bad.block())) {
                    long offset = bad.block().imageOffset();
                    if (isBad(channel, offset)) {
                        write(channel, offset, bad.good());
                        restored.add(bad.block());
                    }
                    byImageOffset.remove(offset);
                }
            }
        }
        return restored;
    }

    boolean isBad(FileChannel channel, long imageOffset) throws IOException {
        BadBlock known = byImageOffset.get(imageOffset);
        return known != null && Arrays.equals(known.bad(), read(channel, imageOffset));
    }

    boolean contains(Object fileKey, long position) {
        return byImageOffset.values().stream().anyMatch(bad -> bad.block().isIn(fileKey, position, 1));
    }

    private static byte[] read(FileChannel channel, long offset) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SPOILED);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, offset + bytes.position()) < 0) {
                throw new EOFException("The image ends before " + offset);
            }
        }
        return bytes.array();
    }

    private static void write(FileChannel channel, long offset, byte[] content) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
            channel.write(bytes, offset + bytes.position());
        }
    }
}
