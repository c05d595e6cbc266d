package io.faultline.bench.throughput;

import io.faultline.bench.Layout;
import io.faultline.bench.host.Answers;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.ProcessFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@link LoadMain} as a process. For one thread. */
final class LoadProcess implements AutoCloseable {

    /** The bytes of each record. */
    static final int RECORD_BYTES = 1_000;

    private static final double NANOS_PER_SECOND = 1e9;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final JvmProcess process;
    private final Answers answers;

    /** What records took. */
    record Took(double seconds, double clientCpuSeconds) {}

    /** Milliseconds from when records were due to their acknowledgements. */
    record Delays(double median, double p99, double failed) {}

    private LoadProcess(JvmProcess process) {
        this.process = process;
        this.answers = new Answers(process, PATIENCE);
    }

    /** Starts one and waits until it is ready. */
    static LoadProcess start(Layout layout, ClientLibrary library, List<String> jvmOptions)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(layout.java().toString()));
        command.addAll(jvmOptions);
        command.addAll(List.of(
                "-cp",
                layout.bench().toString(),
                LoadMain.class.getName(),
                library.name(),
                Integer.toString(RECORD_BYTES)));
        JvmProcess process = JvmProcess.start("the clients of " + library, new ProcessBuilder(command), null);
        process.awaitLine("ready", PATIENCE);
        return new LoadProcess(process);
    }

    Took produce(Path configuration, String topic, int partitions, long records)
            throws IOException, InterruptedException {
        return took("produce " + configuration + " " + topic + " " + partitions + " " + records, "produced");
    }

    Took consume(Path configuration, String topic, int partitions, long records)
            throws IOException, InterruptedException {
        return took("consume " + configuration + " " + topic + " " + partitions + " " + records, "consumed");
    }

    Delays rate(Path configuration, String topic, int partitions, int perSecond, Duration length)
            throws IOException, InterruptedException {
        double[] delays = answers.numbers(
                "rate " + configuration + " " + topic + " " + partitions + " " + perSecond + " " + length.toMillis(),
                "latency");
        return new Delays(delays[0], delays[1], delays[2]);
    }

    /** Begins to sample what its threads do. */
    void startRecording() throws IOException, InterruptedException {
        answers.text("record", "recording");
    }

    /** Writes what was sampled. */
    void endRecording(Path file) throws IOException, InterruptedException {
        answers.text("recorded " + file, "written");
    }

    ProcessFigures figures() throws IOException {
        return ProcessFigures.of(process.pid());
    }

    private Took took(String question, String word) throws IOException, InterruptedException {
        Duration before = figures().cpu();
        double seconds = answers.numbers(question, word)[0] / NANOS_PER_SECOND;
        return new Took(seconds, figures().cpu().minus(before).toNanos() / NANOS_PER_SECOND);
    }

    @Override
    public void close() {
        process.close();
    }
}
