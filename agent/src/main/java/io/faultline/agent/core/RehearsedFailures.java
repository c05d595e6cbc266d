package io.faultline.agent.core;

import io.faultline.classifier.FailureHints;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * Failures that are rehearsed: reads of chosen regions, by this JVM only, fail as on a bad block. For machines on which no disk can be made to fail; it is off unless
 * {@code rehearse=on}.
 */
final class RehearsedFailures implements Function<Object[], Object> {

    /** What fails as one on a disk, and what checks rely on. */
    private static final int BLOCK = 4 << 10;

    private static final String OWN_DESCRIPTOR = "/proc/self/fd/";

    private final Field path;
    private final String text;
    private final List<Bad> bad = new CopyOnWriteArrayList<>();

    private record Bad(String file, long position, long end) {}

    RehearsedFailures(Field path, FailureHints texts) {
        this.path = path;
        this.text = texts.mediaError() == null ? "Input/output error" : texts.mediaError();
    }

    /** Makes reads of every block that a region touches fail from now on. */
    void add(Path file, long position, long count) {
        long begin = position - position % BLOCK;
        long end = (position + count + BLOCK - 1) / BLOCK * BLOCK;
        bad.add(new Bad(file.toAbsolutePath().toString(), begin, end));
    }

    /** Heals everything. */
    void clear() {
        bad.clear();
    }

    @Override
    public Object apply(Object[] read) {
        long position = (Long) read[1];
        long count = (Long) read[2];
        if (bad.isEmpty()) {
            return count;
        }
        String name = nameOf((FileChannel) read[0]);
        for (Bad region : bad) {
            if (region.file.equals(name)) {
                if (position >= region.position && position < region.end) {
                    return new IOException(text);
                }
                if (position < region.position) {
                    count = Math.min(count, region.position - position);
                }
            }
        }
        return count;
    }

    private String nameOf(FileChannel channel) {
        try {
            String name = (String) path.get(channel);
            if (name == null) {
                return null;
            }
            return name.startsWith(OWN_DESCRIPTOR)
                    ? Files.readSymbolicLink(Path.of(name)).toString()
                    : Path.of(name).toAbsolutePath().toString();
        } catch (ReflectiveOperationException | IOException | RuntimeException unnamed) {
            return null;
        }
    }
}
