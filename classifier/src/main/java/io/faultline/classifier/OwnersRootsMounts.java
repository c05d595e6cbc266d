package io.faultline.classifier;

import java.io.File;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Maps a file to the longest claimed directory above it, else to the longest configured root, else to its mount. */
final class OwnersRootsMounts implements LogDirMapping {

    private final Supplier<List<LogDirOwner>> owners;
    private final Function<LogDirOwner, ClaimedDirectories> directories;
    private final ClaimedDirectories roots;
    private final MountTable mounts;

    /**
     * Makes a mapping.
     *
     * @param owners the owners as of now
     * @param directories tells which directories an owner claims
     * @param roots further directories
     * @param mounts names the mount of a file that lies below none of those
     */
    OwnersRootsMounts(
            Supplier<List<LogDirOwner>> owners,
            Function<LogDirOwner, ClaimedDirectories> directories,
            List<String> roots,
            MountTable mounts) {
        this.owners = owners;
        this.directories = directories;
        this.roots = ClaimedDirectories.of(roots);
        this.mounts = mounts;
    }

    @Override
    public LogDirectory directoryOf(String file) {
        LogDirectory longest = null;
        int length = -1;
        for (LogDirOwner owner : owners.get()) {
            ClaimedDirectories.Claim claim = directories.apply(owner).longestAbove(file);
            if (claim != null && claim.absolute().length() > length) {
                longest = new LogDirectory(claim.spelled(), owner);
                length = claim.absolute().length();
            }
        }
        if (longest != null) {
            return longest;
        }
        ClaimedDirectories.Claim root = roots.longestAbove(file);
        return root != null
                ? new LogDirectory(root.spelled(), null)
                : new LogDirectory(mounts.mountOf(file).point(), null);
    }

    /**
     * A path made absolute against the working directory, with no redundant separators. It is not normalised further: "a/../b" need
     * not be "b" where "a" is a link. What is no path stays as it is.
     */
    static String absolute(String path) {
        try {
            return Path.of(path).toAbsolutePath().toString();
        } catch (InvalidPathException noPath) {
            return path;
        }
    }

    static boolean liesBelow(String file, String directory) {
        return file.startsWith(directory)
                && file.length() > directory.length()
                && (directory.endsWith("/") || isSeparator(file.charAt(directory.length())));
    }

    private static boolean isSeparator(char character) {
        return character == '/' || character == File.separatorChar;
    }
}
