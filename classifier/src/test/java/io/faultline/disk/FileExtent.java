package io.faultline.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run of a file's bytes that lies in one piece on the device, in bytes.
 *
 * @param position where the run begins in the file
 * @param address where it begins in the file system's address space; for ext4, the offset on the device
 * @param length how long it is
 * @param flags what filefrag says about it, such as {@code unwritten}
 */
record FileExtent(long position, long address, long length, String flags) {

    private static final int BLOCK_SIZE = 4096;
    private static final Pattern LINE =
            Pattern.compile("\\s*\\d+:\\s*(\\d+)\\.\\.\\s*\\d+:\\s*(\\d+)\\.\\.\\s*\\d+:\\s*(\\d+):(.*)");

    /** The extents of a file in the order of their positions; holes are left out. */
    static List<FileExtent> of(Path file) throws IOException {
        List<FileExtent> extents = new ArrayList<>();
        for (String line :
                Command.run("filefrag", "-v", "-b" + BLOCK_SIZE, file).split("\n")) {
            Matcher fields = LINE.matcher(line);
            if (fields.matches()) {
                extents.add(new FileExtent(
                        Long.parseLong(fields.group(1)) * BLOCK_SIZE,
                        Long.parseLong(fields.group(2)) * BLOCK_SIZE,
                        Long.parseLong(fields.group(3)) * BLOCK_SIZE,
                        fields.group(4).strip()));
            }
        }
        return extents;
    }

    /** Whether the bytes are on the device as they are in the file. */
    boolean isPlain() {
        return !flags.matches(".*(unwritten|inline|encoded|encrypted|delalloc|unknown_loc|not_aligned).*");
    }

    long end() {
        return position + length;
    }
}
