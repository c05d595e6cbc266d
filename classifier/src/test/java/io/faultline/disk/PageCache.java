package io.faultline.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The kernel's cached pages of one file. */
final class PageCache {

    private PageCache() {}

    /** Drops what is cached of a file, after writing it back. */
    static void drop(Path file) throws IOException {
        Command.run("sync", "-d", file);
        dropClean(file);
    }

    /**
     * Drops what is cached of a file and need not be written back. Pages that are mapped into memory, or wait in the
     * queue of a socket, stay.
     */
    static void dropClean(Path file) throws IOException {
        // With no block to copy, this is posix_fadvise(POSIX_FADV_DONTNEED) on the whole file.
        Command.run("dd", "if=" + file, "iflag=nocache", "count=0", "status=none");
    }

    /** A look at the file after a drop. */
    interface Look {
        boolean isDropped() throws IOException;
    }

    /** Drops until a look says that it worked: a page that is just being read or written cannot be dropped. */
    static boolean dropUntil(Path file, Look look) throws IOException {
        for (int drops = 0; drops < 20; drops++) {
            dropClean(file);
            if (look.isDropped()) {
                return true;
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
        return false;
    }
}
