package io.faultline.bench.throughput;

import io.faultline.bench.broker.FirstAnswer;
import io.faultline.bench.host.ProcessFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** A broker of one node, of one kind or the other, as a process of its own. Both have the same heap, the same collector, as many threads, and no flushes but those of the system. */
interface MeasuredBroker extends AutoCloseable {

    /** The options of every broker's JVM. */
    List<String> JVM = List.of("-Xmx512m", "-XX:+UseG1GC");

    /** What every broker is configured with: Kafka's defaults, but that what is deleted goes soon. */
    Map<String, String> CONFIGURATION = Map.of(
            "num.network.threads", "3",
            "num.io.threads", "8",
            "log.segment.bytes", Integer.toString(256 << 20),
            "log.segment.delete.delay.ms", "1000",
            "auto.create.topics.enable", "false");

    /** What a client needs to connect. */
    Properties client(Listener listener);

    /** What it has taken of the machine since its process began. */
    ProcessFigures figures() throws IOException;

    /** The process. */
    long pid();

    /** Stops it, starts it again with its files, and waits until it has answered a request. */
    FirstAnswer restart() throws IOException, InterruptedException;

    /** Writes what a client needs to connect into a file. */
    default Path clientFile(Listener listener, Path folder) throws IOException {
        Path file = folder.resolve(getClass().getSimpleName() + "-" + listener + ".properties");
        try (var writer = Files.newBufferedWriter(file)) {
            client(listener).store(writer, null);
        }
        return file;
    }

    @Override
    void close() throws IOException;
}
