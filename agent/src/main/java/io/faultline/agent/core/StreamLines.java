package io.faultline.agent.core;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Lines with a time before them, to a file or to standard error, past {@code System.err}, which the host may have replaced. */
final class StreamLines implements Lines {

    private final OutputStream out;
    private final boolean ownsOut;

    private StreamLines(OutputStream out, boolean ownsOut) {
        this.out = out;
        this.ownsOut = ownsOut;
    }

    static StreamLines toStandardError() {
        return new StreamLines(new FileOutputStream(FileDescriptor.err), false);
    }

    /** Appends to a file. */
    static StreamLines to(Path file) throws IOException {
        return new StreamLines(
                Files.newOutputStream(
                        file, StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.WRITE),
                true);
    }

    @Override
    public void write(Instant at, String line, boolean warns) throws IOException {
        String whole = at.truncatedTo(ChronoUnit.MILLIS) + " Faultline: " + line + System.lineSeparator();
        out.write(whole.getBytes(StandardCharsets.UTF_8));
    }

    /** Closes the file, never standard error, which is the host's. */
    @Override
    public void close() throws IOException {
        if (ownsOut) {
            out.close();
        }
    }
}
