package io.faultline.classifier;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Maps a file to the longest claimed directory above it, else to the longest configured root, else to its mount. */
final class OwnersRootsMounts implements LogDirMapping {

    private final Supplier<List<LogDirOwner>> owners;
    private final List<String> roots;
    private final MountTable mounts;

    OwnersRootsMounts(Supplier<List<LogDirOwner>> owners, List<String> roots, MountTable mounts) {
        this.owners = owners;
        this.roots = List.copyOf(roots);
        this.mounts = mounts;
    }

    @Override
    public LogDirectory directoryOf(String file) {
        LogDirectory claimed = null;
        int longest = -1;
        for (LogDirOwner owner : owners.get()) {
            try {
                for (String directory : owner.directories()) {
                    String absolute = absolute(directory);
                    if (absolute.length() > longest && liesBelow(file, absolute)) {
                        claimed = new LogDirectory(directory, owner);
                        longest = absolute.length();
                    }
                }
            } catch (Throwable ownersOwn) { // an owner that cannot say what it claims claims nothing
            }
        }
        if (claimed != null) {
            return claimed;
        }
        for (String root : roots) {
            String absolute = absolute(root);
            if (absolute.length() > longest && liesBelow(file, absolute)) {
                claimed = new LogDirectory(root, null);
                longest = absolute.length();
            }
        }
        return claimed != null ? claimed : new LogDirectory(mounts.mountOf(file).point(), null);
    }

    /**
     * A path made absolute against the working directory, with no redundant separators. It is not normalised further: "a/../b" need
     * not be "b" where "a" is a link.
     */
    static String absolute(String path) {
        return Path.of(path).toAbsolutePath().toString();
    }

    static boolean liesBelow(String file, String directory) {
        return file.startsWith(directory)
                && (file.length() > directory.length()
                        && (directory.endsWith("/") || isSeparator(file.charAt(directory.length()))));
    }

    private static boolean isSeparator(char character) {
        return character == '/' || character == File.separatorChar;
    }
}
