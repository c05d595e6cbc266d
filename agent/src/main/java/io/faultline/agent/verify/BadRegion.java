package io.faultline.agent.verify;

import java.nio.file.Path;

/**
 * A part of a file that cannot be read.
 *
 * @param file the file
 * @param position its first byte
 * @param count how many bytes
 * @param error what the first failing read said
 * @param records which records that are, or null where the file is no segment of Kafka's
 */
public record BadRegion(Path file, long position, long count, String error, LostRecords records) {

    long end() {
        return position + count;
    }

    BadRegion with(LostRecords lost) {
        return new BadRegion(file, position, count, error, lost);
    }

    /** One line for a person. */
    @Override
    public String toString() {
        String line = file + ": unreadable at " + position + ", " + count + " bytes";
        return line + (records == null ? "" : ", " + records) + ": " + error;
    }
}
