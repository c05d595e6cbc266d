package io.faultline.disk;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One run of a system tool: ends in time, and says in its exception what the tool complained about. */
final class Command {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Command() {}

    /** Runs a tool and returns what it printed; any other end than exit code 0 is an exception. */
    static String run(String tool, Object... arguments) throws IOException {
        return run(PATIENCE, tool, arguments);
    }

    static String run(Duration patience, String tool, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(DiskTools.find(tool).map(Path::toString).orElse(tool));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        String line = String.join(" ", command);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            // Read on threads of their own: a tool that hangs in the kernel keeps its pipes open even when killed.
            FutureTask<String> output = drain(process.getInputStream(), line);
            FutureTask<String> complaint = drain(process.getErrorStream(), line);
            long deadline = System.nanoTime() + patience.toNanos();
            if (!process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IOException("No end after " + patience.toSeconds() + " s: " + line);
            }
            String stderr = await(complaint, deadline);
            if (process.exitValue() != 0) {
                throw new IOException("Exit code " + process.exitValue() + " from " + line + ": " + stderr.strip());
            }
            return await(output, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while running " + line);
        } catch (TimeoutException e) {
            throw new IOException("Output not closed after " + patience.toSeconds() + " s: " + line, e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static FutureTask<String> drain(InputStream stream, String name) {
        FutureTask<String> content = new FutureTask<>(() -> new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        Thread reader = new Thread(content, "output of " + name);
        reader.setDaemon(true);
        reader.start();
        return content;
    }

    private static String await(FutureTask<String> content, long deadline)
            throws IOException, InterruptedException, TimeoutException {
        try {
            return content.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException("Output not readable", e.getCause());
        }
    }
}
