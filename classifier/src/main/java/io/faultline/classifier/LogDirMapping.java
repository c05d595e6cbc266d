package io.faultline.classifier;

/** Says which log directory a file belongs to. */
@FunctionalInterface
public interface LogDirMapping {

    /**
     * Finds the log directory of a file. Pure string work: a {@code stat} or {@code toRealPath} would hang with the disk.
     *
     * @param file the file's absolute name
     * @return its directory, never null
     */
    LogDirectory directoryOf(String file);
}
