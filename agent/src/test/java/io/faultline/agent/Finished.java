package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process that ran to its end.
 *
 * @param exit its exit code
 * @param out what it printed, line by line
 * @param err what it complained of, line by line
 */
record Finished(int exit, List<String> out, List<String> err) {

    private static final int PATIENCE_SECONDS = 60;

    /** Runs a command with nothing of ours in its environment. */
    static Finished run(String... command) {
        return run(Map.of(), command);
    }

    /** Runs a command with some variables in its environment. */
    static Finished run(Map<String, String> variables, String... command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        HostJvm.clean(builder.environment());
        builder.environment().putAll(variables);
        Process process = null;
        try {
            process = builder.start();
            process.getOutputStream().close();
            CompletableFuture<List<String>> out = lines(process.getInputStream());
            CompletableFuture<List<String>> err = lines(process.getErrorStream());
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no end of " + String.join(" ", command));
            }
            assertThat(ControlFolder.socketOf(process.pid()))
                    .as("left behind by %s", List.of(command))
                    .doesNotExist();
            return new Finished(process.exitValue(), out.join(), err.join());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }

    private static CompletableFuture<List<String>> lines(InputStream stream) {
        return CompletableFuture.supplyAsync(() -> {
            try (stream) {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .toList();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }
}
