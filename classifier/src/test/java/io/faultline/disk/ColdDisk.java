package io.faultline.disk;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A disk whose files can be made cold: an ext4 on a loop device that reads its image past the page cache (direct I/O). On any other loop device what has been dropped from the cache of the file is still in the
 * cache of the image.
 *
 * <p>{@link DiskTools#missingForPoweredDisk()} names what a machine lacks for it. The methods are for one thread.
 */
public final class ColdDisk implements AutoCloseable {

    private final LoopImage image;

    private ColdDisk(LoopImage image) {
        this.image = image;
    }

    /**
     * Makes a disk.
     *
     * @param sizeBytes the size of the disk, at least 16 MiB
     * @return a mounted, empty disk
     * @throws IOException if it cannot be made, or the file system of the image does not allow direct I/O
     */
    public static ColdDisk ext4(long sizeBytes) throws IOException {
        LoopImage image = LoopImage.mount(
                "ext4", sizeBytes, "errors=remount-ro", "mkfs.ext4 -q -F -b 4096 -m 0 -E nodiscard,lazy_itable_init=0");
        try {
            Command.run("losetup", "--direct-io=on", image.device());
        } catch (IOException notThere) {
            try {
                image.close();
            } catch (IOException left) {
                notThere.addSuppressed(left);
            }
            throw notThere;
        }
        return new ColdDisk(image);
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
     * Writes a file back and drops what is cached of it: the next read is the disk's.
     *
     * @param file a file on this disk
     * @throws IOException if that fails
     */
    public void makeCold(Path file) throws IOException {
        PageCache.drop(file);
    }

    /**
     * Unmounts the disk and deletes it. May be repeated.
     *
     * @throws IOException if something stays behind
     */
    @Override
    public void close() throws IOException {
        image.close();
    }
}
