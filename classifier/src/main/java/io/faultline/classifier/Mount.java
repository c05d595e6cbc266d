package io.faultline.classifier;

/**
 * The mount that a file lies on, so that a person knows which disk to pull.
 *
 * @param point the mount point, "" where it is not known
 * @param fileSystemType the type of the file system, such as {@code xfs}, "" where it is not known
 * @param device the block device or other source of the mount, such as {@code /dev/sdc1}, "" where it is not known
 */
public record Mount(String point, String fileSystemType, String device) {

    /** The mount of a file whose mount is not known. */
    public static final Mount UNKNOWN = new Mount("", "", "");

    /**
     * Finds the mount that a file or a directory of this process lies on. Reads procfs only, so it cannot hang with a disk.
     *
     * @param path an absolute name
     * @return the mount, {@link #UNKNOWN} where the system does not tell
     */
    public static Mount of(String path) {
        return new MountTable().mountOf(path);
    }
}
