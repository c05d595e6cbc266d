package io.faultline.disk;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A disk whose power can be cut: an ext4 in an image file, of which a copy is taken as it is at a moment. What a program has only written
 * is in the memory of the machine and not in the copy; what it has flushed is.
 *
 * <p>A device that calls a write flushed before it is does not exist here: the image has all that the file system has sent it.
 *
 * <p>{@link DiskTools#missingForPoweredDisk()} names what a machine lacks for it. The methods are for one thread.
 */
public final class PoweredDisk implements AutoCloseable {

    private static final String TYPE = "ext4";
    private static final String MOUNT_OPTIONS = "errors=remount-ro";
    private static final long SMALLEST_SIZE = 16L << 20;

    private final LoopImage image;

    private PoweredDisk(LoopImage image) {
        this.image = image;
    }

    /**
     * Makes a disk. It takes up little more of the machine's disk than what is written to it.
     *
     * @param sizeBytes the size of the disk, at least 16 MiB
     * @return a mounted, empty disk
     * @throws IllegalArgumentException if the size is too small
     * @throws IOException if it cannot be made; the message holds the complaint of the system's tool
     */
    public static PoweredDisk ext4(long sizeBytes) throws IOException {
        if (sizeBytes < SMALLEST_SIZE) {
            throw new IllegalArgumentException("At least 16 MiB, not " + sizeBytes + " bytes");
        }
        return new PoweredDisk(LoopImage.mount(
                TYPE, sizeBytes, MOUNT_OPTIONS, "mkfs.ext4 -q -F -b 4096 -m 0 -E nodiscard,lazy_itable_init=0"));
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
     * Writes what is in memory now to the disk, as the system does from time to time.
     *
     * @throws IOException if that fails
     */
    public void writeBack() throws IOException {
        Command.run("sync", "-f", image.directory());
    }

    /**
     * Cuts the power and turns it on again, on another disk: this one lives on, with all that was in memory. Whoever writes to it should
     * be frozen meanwhile.
     *
     * @return the disk as it is found then, mounted
     * @throws IOException if somebody writes all the time, or the copy cannot be mounted
     */
    public PoweredDisk cutPower() throws IOException {
        return new PoweredDisk(image.mountCopy(TYPE, MOUNT_OPTIONS));
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
