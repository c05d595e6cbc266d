package io.faultline.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A disk with blocks that cannot be read: a btrfs in an image file, whose data no longer matches its checksum where it
 * was poisoned. Every way to read such a block, {@code sendfile} included, fails with EIO ("Input/output error") in the
 * real kernel path; the blocks around it are read as before. A block that is healed reads again, with its old content.
 *
 * <p>Files may be open, and written elsewhere, while their blocks are poisoned. An append into a poisoned last block
 * fails, as it does on a real disk; so does overwriting a part of a poisoned block.
 *
 * <p>{@link DiskTools#missingForFailingDisk()} names what a machine lacks for it. The methods may be called from
 * several threads.
 */
public final class FailingDisk implements AutoCloseable {

    /** The size, in bytes, of what fails and heals as one; regions are widened to whole blocks. */
    public static final int BLOCK_SIZE = FileBlock.SIZE;

    private static final long DEFAULT_SIZE = 2L << 30;
    private static final long SMALLEST_SIZE = 128L << 20;
    private static final int ATTEMPTS = 3;

    private final LoopImage image;
    private final BadBlocks badBlocks;

    private FailingDisk(LoopImage image) {
        this.image = image;
        this.badBlocks = new BadBlocks(image);
    }

    /**
     * Makes a disk of 2 GiB. It takes up no more of the machine's disk than what is written to it.
     *
     * @return a mounted, empty disk
     * @throws IOException if it cannot be made; the message holds the complaint of the system's tool
     */
    public static FailingDisk btrfs() throws IOException {
        return btrfs(DEFAULT_SIZE);
    }

    /**
     * Makes a disk. It takes up no more of the machine's disk than what is written to it.
     *
     * @param sizeBytes the size of the disk, at least 128 MiB
     * @return a mounted, empty disk
     * @throws IllegalArgumentException if the size is too small
     * @throws IOException if it cannot be made; the message holds the complaint of the system's tool
     */
    public static FailingDisk btrfs(long sizeBytes) throws IOException {
        if (sizeBytes < SMALLEST_SIZE) {
            throw new IllegalArgumentException("At least 128 MiB, not " + sizeBytes + " bytes");
        }
        // max_inline=0: even the smallest file has a block of its own. nobarrier: no test here cuts the power.
        return new FailingDisk(
                LoopImage.mount("btrfs", sizeBytes, "nobarrier,max_inline=0", "mkfs.btrfs -q -K -d single -m single"));
    }

    /**
     * Returns where the disk is mounted.
     *
     * @return the root directory of the disk
     */
    public Path directory() {
        return image.directory();
    }

    /**
     * Makes every block of a file that a region touches unreadable. On return the file is written back, nothing of the
     * region is cached, and reading was seen to fail in every block of the region and to succeed in the blocks next to
     * it. Blocks that were bad before stay so.
     *
     * @param file a file on this disk
     * @param position where the region begins
     * @param length how long the region is, at least 1
     * @throws IllegalArgumentException if the region is empty or not within the file
     * @throws IOException if a part of the region is a hole, which lies on no block, or stays in memory because it is
     *     mapped, or waits in the queue of a socket. No block has become bad then.
     */
    public synchronized void poison(Path file, long position, long length) throws IOException {
        if (position < 0 || length < 1 || length > Files.size(file) - position) {
            throw new IllegalArgumentException(length + " bytes at " + position + " are no region of the "
                    + Files.size(file) + " bytes of " + file);
        }
        for (int attempt = 1; ; attempt++) {
            Set<FileBlock> spoiled = new HashSet<>();
            try {
                Command.run("sync", "-f", file);
                List<FileBlock> blocks = locate(file, position, length);
                spoiled.addAll(badBlocks.spoil(blocks));
                requireUnreadable(file, blocks);
                requireReadableNeighbours(file, blocks);
                PageCache.drop(file);
                return;
            } catch (BlockMovedException e) {
                badBlocks.restore(spoiled::contains);
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            } catch (IOException | RuntimeException e) {
                badBlocks.restore(spoiled::contains);
                throw e;
            }
        }
    }

    /**
     * Makes every bad block of a file that a region touches readable again, with its old content. A block that the file
     * system has put to other use, because the file was deleted or overwritten there, is left alone.
     *
     * @param file a file on this disk; it may have been renamed since it was poisoned
     * @param position where the region begins
     * @param length how long the region is; it may reach beyond the end of the file
     * @throws IOException if a block cannot be written back or still cannot be read
     */
    public synchronized void heal(Path file, long position, long length) throws IOException {
        Object fileKey = FileBlock.keyOf(file);
        requireReadable(file, badBlocks.restore(block -> block.isIn(fileKey, position, length)));
    }

    /**
     * Makes all blocks of the disk readable again, with their old content, as {@link #heal} does.
     *
     * @throws IOException if a block cannot be written back or still cannot be read
     */
    public synchronized void healAll() throws IOException {
        Map<Path, List<FileBlock>> byFile = badBlocks.restore(block -> true).stream()
                .filter(block -> block.isStillAt(block.file()))
                .collect(Collectors.groupingBy(FileBlock::file));
        for (Map.Entry<Path, List<FileBlock>> file : byFile.entrySet()) {
            requireReadable(file.getKey(), file.getValue());
        }
    }

    /**
     * Writes a file back and drops what is cached of it, so that the next read goes to the disk.
     *
     * @param file a file on this disk
     * @throws IOException if the file cannot be written back
     */
    public void dropCache(Path file) throws IOException {
        PageCache.drop(file);
    }

    /**
     * Unmounts the disk and deletes it. Where a file is still open, the disk lives on, unseen, until that is closed. A
     * disk that was not closed goes with its JVM; after a killed JVM, the next disk that is made on the machine clears
     * it away. May be repeated.
     *
     * @throws IOException if something stays behind
     */
    @Override
    public synchronized void close() throws IOException {
        image.close();
    }

    private List<FileBlock> locate(Path file, long position, long length) throws IOException {
        BtrfsChunks chunks = BtrfsChunks.of(image.path());
        Object fileKey = FileBlock.keyOf(file);
        List<FileBlock> blocks = new ArrayList<>();
        long next = position - position % BLOCK_SIZE;
        long end = position + length;
        for (FileExtent extent : FileExtent.of(file)) {
            for (; next < end && extent.position() <= next && next < extent.end(); next += BLOCK_SIZE) {
                if (!extent.isPlain()) {
                    throw new IOException(
                            "Not on a block of its own: position " + next + " of " + file + " is " + extent.flags());
                }
                long offset = chunks.deviceOffset(extent.address() + next - extent.position());
                blocks.add(new FileBlock(file, fileKey, next, offset));
            }
        }
        if (next < end) {
            throw new IOException("A hole, which lies on no block: position " + next + " of " + file);
        }
        requireSameContent(file, blocks);
        return blocks;
    }

    /** The proof that the blocks lie in the image where the file system's own records say. */
    private void requireSameContent(Path file, List<FileBlock> blocks) throws IOException {
        ByteBuffer inFile = ByteBuffer.allocate(BLOCK_SIZE);
        ByteBuffer inImage = ByteBuffer.allocate(BLOCK_SIZE);
        try (FileChannel fileChannel = FileChannel.open(file);
                FileChannel imageChannel = image.open()) {
            for (FileBlock block : blocks) {
                if (block.imageOffset() < 0) {
                    throw new BlockMovedException("In no chunk: position " + block.position() + " of " + file);
                }
                if (!badBlocks.isBad(imageChannel, block.imageOffset())) {
                    int length = fileChannel.read(inFile.clear(), block.position());
                    imageChannel.read(inImage.clear().limit(Math.max(0, length)), block.imageOffset());
                    if (length < 1 || !inFile.flip().equals(inImage.flip())) {
                        throw new BlockMovedException("Not at " + block.imageOffset() + " of the image: position "
                                + block.position() + " of " + file);
                    }
                }
            }
        }
    }

    private static void requireUnreadable(Path file, List<FileBlock> blocks) throws IOException {
        Deque<FileBlock> readable = new ArrayDeque<>(blocks);
        try (FileChannel channel = FileChannel.open(file)) {
            boolean dropped = PageCache.dropUntil(file, () -> {
                while (!readable.isEmpty()
                        && !FileBlock.isReadable(channel, readable.peek().position())) {
                    readable.remove();
                }
                return readable.isEmpty();
            });
            if (!dropped) {
                throw new BlockMovedException(
                        "Still readable, so held in memory (mapped, or in the queue of a socket): position "
                                + readable.peek().position() + " of " + file);
            }
        }
    }

    private void requireReadableNeighbours(Path file, List<FileBlock> blocks) throws IOException {
        FileBlock first = blocks.get(0);
        long before = first.position() - BLOCK_SIZE;
        long after = blocks.get(blocks.size() - 1).position() + BLOCK_SIZE;
        try (FileChannel channel = FileChannel.open(file)) {
            for (long neighbour : new long[] {before, after}) {
                if (neighbour >= 0
                        && !badBlocks.contains(first.fileKey(), neighbour)
                        && !FileBlock.isReadable(channel, neighbour)) {
                    throw new IOException("Unreadable beside the region: position " + neighbour + " of " + file);
                }
            }
        }
    }

    private static void requireReadable(Path file, List<FileBlock> blocks) throws IOException {
        PageCache.drop(file);
        try (FileChannel channel = FileChannel.open(file)) {
            for (FileBlock block : blocks) {
                if (!FileBlock.isReadable(channel, block.position())) {
                    throw new IOException("Healed, but unreadable: position " + block.position() + " of " + file);
                }
            }
        }
    }

    /** What may turn out well when tried again: a writer, or the file system, changed the file meanwhile. */
    private static final class BlockMovedException extends IOException {

        private static final long serialVersionUID = 1;

        BlockMovedException(String message) {
            super(message);
        }
    }
}
