package io.faultline.bench.operation;

import io.faultline.bench.Layout;
import io.faultline.bench.host.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** {@link FailedSends} as a process with the agent and its metrics. */
final class StormyServer implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final Process process;
    private final BufferedReader out;
    private final Writer in;
    private final int port;

    private StormyServer(Process process, int port) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.in = process.outputWriter(StandardCharsets.UTF_8);
        this.port = port;
    }

    static StormyServer start(Path directory) throws IOException {
        int port = FreePorts.next();
        ProcessBuilder builder = new ProcessBuilder(
                        Layout.ofThisBuild().java().toString(),
                        "-Xmx128m",
                        "-javaagent:" + Layout.ofThisBuild().agent() + "=mode=act,metrics.port=" + port,
                        "-cp",
                        System.getProperty("java.class.path"),
                        FailedSends.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        StormyServer server = new StormyServer(builder.start(), port);
        server.expect("ready");
        return server;
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** Has so many sends fail, as fast as they can. */
    void lose(int sends) throws IOException {
        in.write(sends + "\n");
        in.flush();
        expect("done");
    }

    private void expect(String line) throws IOException {
        String printed = out.readLine();
        if (!line.equals(printed)) {
            close();
            throw new IOException("not " + line + " but " + printed);
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
