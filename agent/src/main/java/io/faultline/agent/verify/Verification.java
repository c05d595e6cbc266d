package io.faultline.agent.verify;

import io.faultline.classifier.FailureHints;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads every file below a path once, in full. What retention deletes meanwhile is passed over. */
public final class Verification {

    /** How reads get smaller around a bad block. */
    private static final int[] SIZES = {ReadableFile.SLICE, 64 << 10, ReadableFile.BLOCK};

    private final Path root;
    private final String mediaError = FailureHints.learn().mediaError();
    private final Pace pace;
    private final Consumer<BadRegion> onBad;
    private final List<BadRegion> bad = new ArrayList<>();
    private final List<String> notLookedAt = new ArrayList<>();
    private long files;
    private long bytes;
    private long cached;

    private Verification(Path root, long bytesPerSecond, Consumer<BadRegion> onBad) {
        this.root = root;
        this.pace = new Pace(bytesPerSecond);
        this.onBad = onBad;
    }

    /**
     * Reads.
     *
     * @param path a file, or a directory with everything below it; links below it are not followed
     * @param bytesPerSecond how much to read per second at most, 0 for no limit
     * @param onBad told of each bad region when all of its file has been read
     * @return what was found
     * @throws IOException if there is nothing at the path
     */
    public static Report of(Path path, long bytesPerSecond, Consumer<BadRegion> onBad) throws IOException {
        Path root = path.toRealPath();
        Verification running = new Verification(root, bytesPerSecond, onBad);
        running.walk();
        return new Report(root, running.files, running.bytes, running.cached, running.bad, running.notLookedAt);
    }

    private void walk() throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile()) {
                    verify(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                notLookedAt(file, failure);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) {
                if (failure != null) {
                    notLookedAt(directory, failure);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void notLookedAt(Path file, IOException failure) {
        if (!(failure instanceof NoSuchFileException)) {
            notLookedAt.add(file + ": " + failure);
        }
    }

    private void verify(Path file) {
        try (ReadableFile opened = ReadableFile.open(file, mediaError)) {
            files++;
            cached += opened.isDirect() ? 0 : 1;
            List<BadRegion> found = new ArrayList<>();
            read(opened, file, 0, opened.size(), 0, found);
            for (BadRegion region : SegmentBatches.isSegment(file) ? withRecords(opened, file, found) : found) {
                bad.add(region);
                onBad.accept(region);
            }
        } catch (IOException failure) {
            notLookedAt(file, failure);
        }
    }

    /** Reads a part of a file; what cannot be read in slices of one size is read again in smaller ones. */
    private void read(ReadableFile opened, Path file, long from, long to, int size, List<BadRegion> found) {
        for (long position = from; position < to; position += SIZES[size]) {
            try {
                int read = opened.read(position, SIZES[size]).remaining();
                bytes += read;
                pace.read(read);
            } catch (IOException failure) {
                long end = Math.min(to, position + SIZES[size]);
                if (size + 1 < SIZES.length) {
                    read(opened, file, position, end, size + 1, found);
                } else {
                    add(new BadRegion(file, position, end - position, failure.toString(), null), found);
                }
            }
        }
    }

    private static void add(BadRegion region, List<BadRegion> found) {
        BadRegion last = found.isEmpty() ? null : found.get(found.size() - 1);
        if (last != null && last.end() == region.position()) {
            long count = last.count() + region.count();
            found.set(found.size() - 1, new BadRegion(last.file(), last.position(), count, last.error(), null));
        } else {
            found.add(region);
        }
    }

    private static List<BadRegion> withRecords(ReadableFile opened, Path file, List<BadRegion> found) {
        if (found.isEmpty()) {
            return found;
        }
        SegmentBatches batches = new SegmentBatches(opened, file, found);
        return found.stream().map(region -> region.with(batches.lostIn(region))).toList();
    }
}
