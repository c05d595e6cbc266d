package io.faultline.classifier;

import java.util.Objects;

/**
 * The unit in which disks fail and checks queue: a log directory of an owner, a configured root, or a mount.
 *
 * @param path the directory in its owner's spelling, the root as configured, or the mount point; "" where nothing is known
 * @param owner who claims it, or null
 */
public record LogDirectory(String path, LogDirOwner owner) {

    /** Where a file belongs of which not even the mount is known. */
    public static final LogDirectory UNKNOWN = new LogDirectory("", null);

    // What a record has by itself the JVM puts together at the first use, from two dozen classes, and that is while a
    // host starts.

    @Override
    public boolean equals(Object other) {
        return other instanceof LogDirectory directory
                && path.equals(directory.path)
                && Objects.equals(owner, directory.owner);
    }

    @Override
    public int hashCode() {
        return 31 * path.hashCode() + Objects.hashCode(owner);
    }
}
