package io.faultline.bench.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders with all that is in them. */
public final class Trees {

    private static final int ATTEMPTS = 10;

    private Trees() {}

    /**
     * Deletes a folder, if it is there, with all that is in it; also while a process that is ending still writes and deletes there.
     *
     * @param folder the folder; links in it are deleted, not followed
     * @throws IOException if something cannot be deleted
     */
    public static void delete(Path folder) throws IOException {
        for (int attempt = 1; Files.exists(folder); attempt++) {
            try {
                deleteOnce(folder);
            } catch (IOException | UncheckedIOException changedMeanwhile) {
                if (attempt == ATTEMPTS) {
                    throw new IOException("cannot delete " + folder, changedMeanwhile);
                }
            }
        }
    }

    private static void deleteOnce(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
