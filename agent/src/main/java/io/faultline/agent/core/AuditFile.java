package io.faultline.agent.core;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.classifier.FaultlineThreads;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What the agent did and was told to do, a JSON object on each line, for those who explain an incident afterwards. Bounded: a file of 10 MiB, and four older ones beside it, {@code .1} the
 * youngest. A line is written with one call, and the file is opened for each, so that moving it away does no harm.
 *
 * <p>Safe for use from several threads. A thread of its own writes, so that a disk that hangs holds up neither a verdict nor a change of the mode. Never throws: what cannot be written is counted and
 * said once.
 */
final class AuditFile implements AutoCloseable {

    private static final int MOST_WAITING = 256;
    private static final long BETWEEN_LOOKS_MILLIS = 200;

    private static final long LARGEST = 10L << 20;
    private static final int OLDER = 4;
    private static final Set<PosixFilePermission> OWNER_AND_GROUP = PosixFilePermissions.fromString("rw-r-----");

    private final Path file;
    private final Supplier<Map<String, Object>> whoWeAre;
    private final AgentLog log;
    private final OwnErrors errors;
    private final long largest;
    private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private volatile String refusedBecause;
    private volatile boolean closed;
    private Thread writer;
    private boolean complained;

    /**
     * Makes one that has written nothing.
     *
     * @param whoWeAre what every line begins with
     */
    AuditFile(Path file, Supplier<Map<String, Object>> whoWeAre, AgentLog log, OwnErrors errors) {
        this(file, whoWeAre, log, errors, LARGEST);
    }

    AuditFile(Path file, Supplier<Map<String, Object>> whoWeAre, AgentLog log, OwnErrors errors, long largest) {
        this.file = file;
        this.whoWeAre = whoWeAre;
        this.log = log;
        this.errors = errors;
        this.largest = largest;
    }

    /** Writes nothing more if the file lies below a directory whose disk is watched: writing to a disk that fails would fail, or hang, with it. */
    void refuseBelow(String directory) {
        if (refusedBecause == null && file.startsWith(Path.of(directory).toAbsolutePath())) {
            refusedBecause = "it lies in " + directory + ", whose disk is watched";
            errors.count(Part.AUDIT);
            log.warn("audit.file=" + file + " is refused: " + refusedBecause + "; accepted: "
                    + Key.AUDIT_FILE.accepted());
        }
    }

    /**
     * Writes a line.
     *
     * @param event what happened, in a word
     * @param facts strings, numbers, lists and maps of them; null is left out
     */
    void write(String event, Map<String, ?> facts) {
        if (refusedBecause != null) {
            return;
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("at", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        line.put("event", event);
        line.putAll(whoWeAre.get());
        line.putAll(facts);
        line.values().removeIf(value -> value == null);
        try {
            byte[] bytes = (JSON.std.asString(line) + "\n").getBytes(StandardCharsets.UTF_8);
            if (closed || !waiting.offer(bytes)) {
                errors.count(Part.AUDIT);
            } else {
                ensureWriter();
            }
        } catch (IOException | RuntimeException unwritable) {
            fail(unwritable);
        }
    }

    private synchronized void ensureWriter() {
        if (writer == null) {
            writer = FaultlineThreads.start("audit", this::writeAll);
        }
    }

    private void writeAll() {
        while (!closed || !waiting.isEmpty()) {
            try {
                byte[] line = waiting.poll(BETWEEN_LOOKS_MILLIS, TimeUnit.MILLISECONDS);
                if (line != null) {
                    append(line);
                }
            } catch (IOException | RuntimeException unwritable) {
                fail(unwritable);
            } catch (InterruptedException stranger) { // nobody of ours interrupts; write on
                continue;
            }
        }
    }

    /** Takes no further line. What waits is still written; does not wait for that. */
    @Override
    public void close() {
        closed = true;
    }

    /** Says whether lines may still be written. */
    synchronized boolean isBusy() {
        return writer != null && writer.isAlive();
    }

    private void append(byte[] line) throws IOException {
        if (Files.exists(file) && Files.size(file) + line.length > largest) {
            for (int age = OLDER - 1; age > 0; age--) {
                if (Files.exists(older(age))) {
                    Files.move(older(age), older(age + 1), StandardCopyOption.REPLACE_EXISTING);
                }
            }
            Files.move(file, older(1), StandardCopyOption.REPLACE_EXISTING);
        }
        boolean isNew = !Files.exists(file);
        try (OutputStream out = Files.newOutputStream(
                file, StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.WRITE)) {
            out.write(line);
        }
        if (isNew) {
            Files.setPosixFilePermissions(file, OWNER_AND_GROUP);
        }
    }

    private Path older(int age) {
        return file.resolveSibling(file.getFileName() + "." + age);
    }

    private synchronized void fail(Exception unwritable) {
        errors.count(Part.AUDIT);
        if (!complained) {
            complained = true;
            log.warn("audit.file=" + file + " cannot be written (" + unwritable + "); accepted: "
                    + Key.AUDIT_FILE.accepted());
        }
    }
}
