package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.FirstAnswer;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The bundled broker over an empty directory: from the start of its process to its first answer. */
final class BundledBrokerHost implements Host {

    /** An archive is made before it has ended. */
    private static final Duration PATIENCE_AT_END = Duration.ofMinutes(5);

    private final Layout layout;
    private final TemporaryFolder folder;
    private final int port;

    BundledBrokerHost(Layout layout) throws IOException {
        this.layout = layout;
        this.folder = TemporaryFolder.named("faultline-startup");
        this.port = FreePorts.next();
    }

    @Override
    public Start start(JvmAgent agent) throws IOException, InterruptedException {
        return start(agent, List.of());
    }

    /** Starts it with an agent and more options of its JVM, waits for its first answer, and ends it. */
    Start start(JvmAgent agent, List<String> moreJvmOptions) throws IOException, InterruptedException {
        List<String> jvmOptions = new ArrayList<>(agent.jvmOptions(layout));
        jvmOptions.addAll(moreJvmOptions);
        long began = System.nanoTime();
        try (JvmProcess process = launch(layout.java(), jvmOptions)) {
            FirstAnswer answer = FirstAnswer.await(process, port, began);
            return new Start(answer.millis(), answer.cpuMillis(), agent.millisUntilWoven(process));
        }
    }

    /**
     * Starts it, waits until it has answered, and ends it in an orderly way; for what its JVM writes, at its end above all.
     *
     * @return what it printed at last
     */
    String run(Path java, List<String> jvmOptions) throws IOException, InterruptedException {
        long began = System.nanoTime();
        try (JvmProcess process = launch(java, jvmOptions)) {
            FirstAnswer.await(process, port, began);
            process.askToEnd();
            process.awaitExit(PATIENCE_AT_END);
            return process.tail();
        }
    }

    private JvmProcess launch(Path java, List<String> jvmOptions) throws IOException {
        List<String> command = new ArrayList<>(List.of(java.toString(), "-Xmx256m"));
        command.addAll(jvmOptions);
        command.addAll(List.of(
                "-jar",
                layout.broker().toString(),
                "--listeners=PLAINTEXT://127.0.0.1:" + port,
                "--log.dirs=" + folder.make("logs")));
        return JvmProcess.start("the bundled broker", new ProcessBuilder(command), null);
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }
}
