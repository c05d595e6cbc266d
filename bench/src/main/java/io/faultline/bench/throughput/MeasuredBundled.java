package io.faultline.bench.throughput;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.FirstAnswer;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.ProcessFigures;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.broker.tls.GeneratedTls;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;

/** The bundled broker. */
final class MeasuredBundled implements MeasuredBroker {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String HOST = "127.0.0.1:";

    private final TemporaryFolder folder;
    private final Path tls;
    private final int plaintextPort;
    private final int tlsPort;
    private final List<String> command;
    private JvmProcess process;

    private MeasuredBundled(Layout layout) throws IOException {
        folder = TemporaryFolder.named("faultline-bundled");
        tls = folder.path().resolve("tls");
        plaintextPort = FreePorts.next();
        tlsPort = FreePorts.next();
        List<String> line = new ArrayList<>(List.of(layout.java().toString()));
        line.addAll(JVM);
        line.addAll(List.of(
                "-jar",
                layout.broker().toString(),
                "--listeners=PLAINTEXT://" + HOST + plaintextPort + ",SSL://" + HOST + tlsPort,
                "--generate-tls=" + tls,
                "--log.dirs=" + folder.make("logs")));
        CONFIGURATION.forEach((key, value) -> line.add("--" + key + "=" + value));
        command = List.copyOf(line);
    }

    static MeasuredBundled start(Layout layout) throws IOException, InterruptedException {
        MeasuredBundled broker = new MeasuredBundled(layout);
        try {
            broker.launch();
            broker.process.awaitLine("faultline-broker ready", PATIENCE);
            return broker;
        } catch (IOException | InterruptedException notStarted) {
            broker.close();
            throw notStarted;
        }
    }

    @Override
    public Properties client(Listener listener) {
        Properties client = new Properties();
        if (listener == Listener.TLS) {
            try {
                client.putAll(GeneratedTls.in(tls).clientProperties());
            } catch (IOException unreadable) {
                throw new IllegalStateException(unreadable);
            }
        }
        client.put(
                CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
                HOST + (listener == Listener.TLS ? tlsPort : plaintextPort));
        return client;
    }

    @Override
    public ProcessFigures figures() throws IOException {
        return ProcessFigures.of(pid());
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public FirstAnswer restart() throws IOException, InterruptedException {
        process.close();
        long began = System.nanoTime();
        launch();
        return FirstAnswer.await(process, plaintextPort, began);
    }

    private void launch() throws IOException {
        process = JvmProcess.start("the bundled broker", new ProcessBuilder(command), null);
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.close();
        }
        folder.close();
    }
}
