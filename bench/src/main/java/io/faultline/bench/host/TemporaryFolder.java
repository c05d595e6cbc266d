package io.faultline.bench.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that goes, with all that is in it, when it is closed or the JVM ends. */
public final class TemporaryFolder implements AutoCloseable {

    private final Path path;

    private TemporaryFolder(Path path) {
        this.path = path;
    }

    /**
     * Makes one.
     *
     * @param name how its name begins
     * @return the folder
     * @throws IOException if it cannot be made
     */
    public static TemporaryFolder named(String name) throws IOException {
        TemporaryFolder folder =
                new TemporaryFolder(Files.createTempDirectory(name).toRealPath());
        AtExit.close(folder);
        return folder;
    }

    /**
     * Where it is.
     *
     * @return its absolute path, without links
     */
    public Path path() {
        return path;
    }

    /**
     * Makes a folder in it.
     *
     * @param name the folder's name
     * @return its path
     * @throws IOException if it cannot be made
     */
    public Path make(String name) throws IOException {
        return Files.createDirectories(path.resolve(name));
    }

    @Override
    public void close() throws IOException {
        Trees.delete(path);
        AtExit.forget(this);
    }
}
