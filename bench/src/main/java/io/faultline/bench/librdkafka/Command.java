package io.faultline.bench.librdkafka;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Commands that have to succeed. */
final class Command {

    private static final int SHOWN = 4_000;

    private Command() {}

    /** Runs a command and waits for it; if it fails, the exception has the end of what it printed. */
    static void run(Path folder, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " in " + folder + " failed:\n"
                    + said.substring(Math.max(0, said.length() - SHOWN)));
        }
    }
}
