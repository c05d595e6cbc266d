package io.faultline.classifier;

import java.io.File;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Directories in which the longest one above a file is found in as many steps as the file's name has parts, however many directories there are. Pure string work: no link is followed, no disk is touched.
 */
final class ClaimedDirectories {

    private final List<String> spelled;
    private final Map<String, Claim> byAbsolute = new HashMap<>();

    /**
     * A directory.
     *
     * @param spelled as whoever claims it spells it
     * @param absolute its absolute path
     */
    record Claim(String spelled, String absolute) {}

    private ClaimedDirectories(List<String> spelled) {
        this.spelled = spelled;
        for (String directory : spelled) {
            String absolute = OwnersRootsMounts.absolute(directory);
            byAbsolute.putIfAbsent(absolute, new Claim(directory, absolute)); // of two spellings the first
        }
    }

    static ClaimedDirectories of(List<String> spelled) {
        return new ClaimedDirectories(List.copyOf(spelled));
    }

    /** As they were claimed, in that order. */
    List<String> spelled() {
        return spelled;
    }

    /** The longest directory that a file lies below, or null. The directory itself does not lie below itself. */
    Claim longestAbove(String file) {
        for (int end = file.length() - 1; end >= 0; end--) {
            char character = file.charAt(end);
            if (character == '/' || character == File.separatorChar) {
                // With its separator at the end there is the root, and what is no path and so was left as it is.
                Claim withSeparator = end + 1 < file.length() ? byAbsolute.get(file.substring(0, end + 1)) : null;
                Claim claim = withSeparator != null ? withSeparator : byAbsolute.get(file.substring(0, end));
                if (claim != null) {
                    return claim;
                }
            }
        }
        return null;
    }
}
