package io.faultline.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A disk whose device ends too early: an ext4 in an image file that was cut. Reading past the cut fails with EIO
 * ("Input/output error") in the block layer, and so does writing: an append seems to succeed, and the {@code fsync}
 * after it fails. {@link #restore()} puts back what was cut off, as a cable that is plugged in again.
 *
 * <p>The cut is one of the device. What else lies past it fails too, and of a large file a later part may lie before
 * it.
 *
 * <p>It needs less than {@link FailingDisk}: {@link DiskTools#missingForTruncatedDisk()} names what a machine lacks for
 * it. The methods may be called from several threads.
 */
public final class TruncatedDisk implements AutoCloseable {

    private static final long DEFAULT_SIZE = 512L << 20;
    private static final long SMALLEST_SIZE = 16L << 20;

    /**
     * Keeps the tail for {@link #restore()}, cuts it off, and tells the device, which would otherwise grow with the next
     * write past the cut. Nobody may write meanwhile, and so the file system is frozen. All in one script, since a file
     * system that was left frozen by a JVM that was killed could not be unmounted.
     */
    private static final String CUT = """
            directory=$1 image=$2 tail=$3 cut=$4 device=$5
            fsfreeze --freeze "$directory" || exit
            dd if="$image" of="$tail" bs=1M iflag=skip_bytes skip="$cut" conv=sparse status=none &&
                truncate -s "$cut" "$image" &&
                losetup -c "$device"
            status=$?
            fsfreeze --unfreeze "$directory"
            exit $status
            """;

    private static final String RESTORE = """
            image=$1 tail=$2 cut=$3 device=$4 size=$5
            truncate -s "$size" "$image" &&
                dd if="$tail" of="$image" bs=1M oflag=seek_bytes seek="$cut" conv=sparse,notrunc status=none &&
                losetup -c "$device"
            """;

    private final LoopImage image;
    private final long size;
    private boolean truncated;
    private long cut;

    private TruncatedDisk(LoopImage image, long size) {
        this.image = image;
        this.size = size;
    }

    /**
     * Makes a disk of 512 MiB. It takes up little more of the machine's disk than what is written to it.
     *
     * @return a mounted, empty disk
     * @throws IOException if it cannot be made; the message holds the complaint of the system's tool
     */
    public static TruncatedDisk ext4() throws IOException {
        return ext4(DEFAULT_SIZE);
    }

    /**
     * Makes a disk. It takes up little more of the machine's disk than what is written to it.
     *
     * @param sizeBytes the size of the disk, at least 16 MiB
     * @return a mounted, empty disk
     * @throws IllegalArgumentException if the size is too small
     * @throws IOException if it cannot be made; the message holds the complaint of the system's tool
     */
    public static TruncatedDisk ext4(long sizeBytes) throws IOException {
        if (sizeBytes < SMALLEST_SIZE) {
            throw new IllegalArgumentException("At least 16 MiB, not " + sizeBytes + " bytes");
        }
        // Without a journal, the file system itself has little to write past the cut. Tables that are still being
        // initialised in the background would be written there too.
        LoopImage image = LoopImage.mount(
                "ext4",
                sizeBytes,
                "errors=continue",
                "mkfs.ext4 -q -F -b 4096 -m 0 -O ^has_journal -E nodiscard,lazy_itable_init=0");
        return new TruncatedDisk(image, Files.size(image.path()));
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
     * Ends the device just before a block of a file. On return the file is written back, nothing of it is cached, and
     * reading was seen to fail in that block and to succeed in the block before it.
     *
     * @param file a file on this disk
     * @param position a position in the block, which is 4096 bytes long
     * @throws IllegalArgumentException if the position is not within the file
     * @throws IllegalStateException if the disk is cut already
     * @throws IOException if the position is in a hole, or the block is held in memory, or the block before it lies
     *     behind it on the device
     */
    public synchronized void truncate(Path file, long position) throws IOException {
        if (position < 0 || position >= Files.size(file)) {
            throw new IllegalArgumentException(
                    position + " is not within the " + Files.size(file) + " bytes of " + file);
        }
        if (truncated) {
            throw new IllegalStateException("The disk already ends at " + cut);
        }
        Command.run("sync", "-f", file);
        cut = locate(file, position);
        truncated = true;
        try {
            Command.run("sh", "-c", CUT, "sh", directory(), image.path(), image.tail(), cut, image.device());
            requireCut(file, position - position % FileBlock.SIZE);
        } catch (IOException | RuntimeException e) {
            try {
                restore();
            } catch (IOException stillCut) {
                e.addSuppressed(stillCut);
            }
            throw e;
        }
    }

    /**
     * Puts back what was cut off. What was written past the cut meanwhile is lost. Without a cut, nothing happens.
     *
     * @throws IOException if it cannot be put back
     */
    public synchronized void restore() throws IOException {
        if (!truncated) {
            return;
        }
        // Without a tail, cutting failed before it had changed anything.
        if (Files.exists(image.tail())) {
            Command.run("sh", "-c", RESTORE, "sh", image.path(), image.tail(), cut, image.device(), size);
            Files.delete(image.tail());
        }
        truncated = false;
    }

    /**
     * Drops what is cached of a file, so that the next read goes to the disk. The file is written back before; on a cut
     * disk it is not, and what is still to be written stays cached.
     *
     * @param file a file on this disk
     * @throws IOException if the file cannot be written back or opened
     */
    public synchronized void dropCache(Path file) throws IOException {
        if (truncated) {
            PageCache.dropClean(file);
        } else {
            PageCache.drop(file);
        }
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

    private static long locate(Path file, long position) throws IOException {
        long block = position - position % FileBlock.SIZE;
        for (FileExtent extent : FileExtent.of(file)) {
            if (extent.position() <= block && block < extent.end() && extent.isPlain()) {
                return extent.address() + block - extent.position();
            }
        }
        throw new IOException("On no block: position " + position + " of " + file);
    }

    private static void requireCut(Path file, long position) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            // What a writer has added meanwhile stays cached: it cannot be written back any more.
            if (!PageCache.dropUntil(file, () -> !FileBlock.isReadable(channel, position))) {
                throw new IOException("Still readable, so held in memory: position " + position + " of " + file);
            }
            if (position > 0 && !FileBlock.isReadable(channel, position - 1)) {
                throw new IOException("Behind the cut as well: position " + (position - 1) + " of " + file);
            }
        }
    }
}
