package io.faultline.agent.core;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Properties;

/**
 * A file with options, watched by its content: whether it was written in place, replaced, or reached over links that were swapped, as a ConfigMap's, makes no difference. One
 * that anybody may write to is refused, since whoever can write to it could switch the agent.
 */
final class ConfigFile {

    private static final int LARGEST = 64 << 10;
    private static final int STICKY = 01000;

    private final Path path;
    private byte[] last;
    private String lastRefusal;

    ConfigFile(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    /**
     * Reads the file.
     *
     * @return its properties, or null if its content is that of the last time, or is as wrong as it was then
     * @throws IOException if it cannot be read, with what is wrong in its message; once for each time it goes wrong
     */
    Properties readIfChanged() throws IOException {
        try {
            refuseIfOthersMayWrite();
            byte[] now = content();
            lastRefusal = null;
            if (Arrays.equals(now, last)) {
                return null;
            }
            last = now;
            Properties properties = new Properties();
            properties.load(new StringReader(new String(now, StandardCharsets.UTF_8)));
            return properties;
        } catch (IOException | IllegalArgumentException wrong) {
            String refusal = wrong instanceof NoSuchFileException ? "there is no such file" : text(wrong);
            if (refusal.equals(lastRefusal)) {
                return null;
            }
            lastRefusal = refusal;
            throw new IOException(refusal, wrong);
        }
    }

    private static String text(Exception wrong) {
        return wrong instanceof IOException && wrong.getMessage() != null ? wrong.getMessage() : wrong.toString();
    }

    private byte[] content() throws IOException {
        try (var in = Files.newInputStream(path)) {
            byte[] content = in.readNBytes(LARGEST + 1);
            if (content.length > LARGEST) {
                throw new IOException("it is larger than " + LARGEST + " bytes");
            }
            return content;
        }
    }

    private void refuseIfOthersMayWrite() throws IOException {
        Path real = path.toRealPath();
        if (Files.getPosixFilePermissions(real).contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException("others may write to it; take that right away, chmod o-w " + real);
        }
        Path at = path.toAbsolutePath();
        refuseIfOthersMayReplaceWhatIsIn(at.getParent().toRealPath());
        while (Files.isSymbolicLink(at)) {
            at = at.resolveSibling(Files.readSymbolicLink(at));
            refuseIfOthersMayReplaceWhatIsIn(at.getParent().toRealPath());
        }
    }

    private static void refuseIfOthersMayReplaceWhatIsIn(Path folder) throws IOException {
        boolean sticky = ((Integer) Files.getAttribute(folder, "unix:mode") & STICKY) != 0;
        // A ConfigMap is mounted with all rights, and read-only.
        if (!sticky
                && Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_WRITE)
                && !Files.getFileStore(folder).isReadOnly()) {
            throw new IOException("others may replace it; take that right away, chmod o-w " + folder);
        }
    }
}
