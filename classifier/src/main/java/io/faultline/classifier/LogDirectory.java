package io.faultline.classifier;

/**
 * The unit in which disks fail and checks queue: a log directory of an owner, a configured root, or a mount.
 *
 * @param path the directory in its owner's spelling, the root as configured, or the mount point; "" where nothing is known
 * @param owner who claims it, or null
 */
public record LogDirectory(String path, LogDirOwner owner) {

    /** Where a file belongs of which not even the mount is known. */
    public static final LogDirectory UNKNOWN = new LogDirectory("", null);
}
