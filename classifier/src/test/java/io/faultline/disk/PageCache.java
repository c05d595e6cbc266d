package io.faultline.disk;

import java.io.IOException;
import java.nio.file.Path;

/** The kernel's cached pages of one file. */
final class PageCache {

    private PageCache() {}

    /**
     * Drops what is cached of a file, after writing back what was dirty. Pages that are mapped into memory, or wait in a
     * socket's queue, stay.
     */
    static void drop(Path file) throws IOException {
        Command.run("sync", "-d", file);
        // With no block to copy, this is posix_fadvise(POSIX_FADV_DONTNEED) on the whole file.
        Command.run("dd", "if=" + file, "iflag=nocache", "count=0", "status=none");
    }
}
