package io.faultline.classifier;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Reads again what failed transfers of one file attempted, in one pass over all their regions. This alone touches the disk. Used by the
 * thread that holds the directory's slot; how long it has been at it is there for all to see.
 */
final class Reread {

    private final HostFile files;
    private final ReadBudget budget;
    private final DirectoryCounts counts;
    private final BooleanSupplier abandoned;
    private RegionReader reader;
    private volatile long since;
    private volatile boolean running;

    Reread(HostFile files, ReadBudget budget, DirectoryCounts counts, BooleanSupplier abandoned) {
        this.files = files;
        this.budget = budget;
        this.counts = counts;
        this.abandoned = abandoned;
    }

    /**
     * Reads through a descriptor of our own where that can be had, else through the host's channel.
     *
     * @return how it ended; {@link ReadOutcome.End#CLOSED} if the host has closed every channel
     */
    ReadOutcome throughChannel(List<Pending> failures) {
        Region region = coverOf(failures);
        for (Pending failure : failures) {
            FileChannel host = failure.transfer().channel();
            if (host.isOpen()) {
                ReadOutcome outcome = timed(() -> {
                    FileChannel own = files.openAgain(host);
                    return own != null ? readAndClose(own, region) : read(host, region);
                });
                if (outcome.end() != ReadOutcome.End.CLOSED) {
                    return outcome;
                }
            }
        }
        return nothingToRead(region);
    }

    /**
     * Reads the file by its name: the host closed it when its send failed, as most servers do.
     *
     * @return how it ended; {@link ReadOutcome.End#CLOSED} if it cannot be opened
     */
    ReadOutcome byPath(List<Pending> failures) {
        Region region = coverOf(failures);
        String name = failures.get(0).file();
        if (name == null) {
            return nothingToRead(region);
        }
        return timed(() -> {
            FileChannel own;
            try {
                Path path = Path.of(name);
                if (!Files.isRegularFile(path)) { // a folder of that name by now would fail to read, and prove nothing
                    return nothingToRead(region);
                }
                own = FileChannel.open(path, StandardOpenOption.READ);
            } catch (IOException | RuntimeException gone) { // deleted, renamed, or the disk: nothing is proven
                return nothingToRead(region);
            }
            return readAndClose(own, region);
        });
    }

    private ReadOutcome readAndClose(FileChannel own, Region region) {
        try {
            return read(own, region);
        } finally {
            HostFile.closeQuietly(own);
        }
    }

    private ReadOutcome read(FileChannel file, Region region) {
        if (reader == null) {
            reader = new RegionReader();
        }
        return reader.read(file, region, budget, counts.bytesRead::add, abandoned);
    }

    private static ReadOutcome nothingToRead(Region region) {
        return new ReadOutcome(ReadOutcome.End.CLOSED, region.position(), null);
    }

    static Region coverOf(List<Pending> failures) {
        Region cover = failures.get(0).region();
        for (Pending failure : failures) {
            cover = cover.cover(failure.region());
        }
        return cover;
    }

    /** Opening and closing may hang with the disk too. */
    private ReadOutcome timed(Supplier<ReadOutcome> disk) {
        since = System.nanoTime();
        running = true;
        try {
            return disk.get();
        } finally {
            running = false;
        }
    }

    boolean running() {
        return running;
    }

    /** How long the disk has been at it, at least 0; meaningless when nothing runs. */
    long runningNanos(long now) {
        return Math.max(0, now - since);
    }
}
