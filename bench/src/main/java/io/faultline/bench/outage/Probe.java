package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The independent witness of a heal: in a process of its own, a producer of kafka-clients that is made new for each try. */
final class Probe implements AutoCloseable {

    private static final Duration PATIENCE_AT_START = Duration.ofSeconds(60);

    private final JvmProcess process;

    private Probe(JvmProcess process) {
        this.process = process;
    }

    /** Starts it, and waits until a first try, on healthy brokers, has gone through. */
    static Probe start(Layout layout, String bootstrap, String topic, int partitions)
            throws IOException, InterruptedException {
        List<String> command = List.of(
                layout.java().toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                layout.bench().toString(),
                ProbeMain.class.getName(),
                bootstrap,
                topic,
                Integer.toString(partitions));
        Probe probe = new Probe(JvmProcess.start("the probe", new ProcessBuilder(command), null));
        try {
            probe.process.awaitLine(ProbeMain.READY, PATIENCE_AT_START);
            return probe;
        } catch (IOException notReady) {
            probe.close();
            throw notReady;
        }
    }

    /** From now on it tries again and again. */
    void go() throws IOException {
        process.tell("go");
    }

    /** Waits until every partition has acknowledged a record of one and the same try; the time by the machine's monotonic clock, in milliseconds. */
    long awaitHeal(Duration patience) throws IOException, InterruptedException {
        String line = process.awaitLine(ProbeMain.HEALED, patience);
        return Long.parseLong(line.substring(ProbeMain.HEALED.length()));
    }

    @Override
    public void close() {
        process.close();
    }
}
