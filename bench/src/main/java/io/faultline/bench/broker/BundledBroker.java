package io.faultline.bench.broker;

import io.faultline.bench.Layout;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** The bundled broker, to which faults are done: one process that can be started again, with its port and its files. */
public final class BundledBroker implements Brokers {

    private static final String READY = "faultline-broker ready: ";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ONLY = 1;

    private final TemporaryFolder folder;
    private final List<Path> directories;
    private final List<String> command;
    private final String listen;
    private final String advertise;
    private final List<Long> starts = new CopyOnWriteArrayList<>();
    private JvmProcess process;

    private BundledBroker(
            TemporaryFolder folder, List<Path> directories, List<String> command, String listen, String advertise) {
        this.folder = folder;
        this.directories = directories;
        this.command = command;
        this.listen = listen;
        this.advertise = advertise;
    }

    /**
     * Starts one and waits until it is ready.
     *
     * @param layout where the jars are
     * @param network where it lives
     * @param directories its log directories; empty for one of its own
     * @param jvmOptions what its JVM gets besides, such as the agent
     * @param configuration more keys and values
     * @return the running broker
     * @throws IOException if it does not start
     * @throws InterruptedException if interrupted meanwhile
     */
    public static BundledBroker start(
            Layout layout,
            BrokerNetwork network,
            List<Path> directories,
            List<String> jvmOptions,
            Map<String, String> configuration)
            throws IOException, InterruptedException {
        TemporaryFolder folder = TemporaryFolder.named("faultline-bundled");
        List<Path> logDirs = directories.isEmpty() ? List.of(folder.make("logs")) : directories;
        BrokerNetwork.Front front = network.front(ONLY);
        String listen = front == null ? network.host(ONLY) + ":" + FreePorts.next() : front.listen();
        String advertise = front == null ? listen : front.advertise();
        List<String> command = new ArrayList<>(network.command());
        command.addAll(List.of(layout.java().toString(), "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(jvmOptions);
        command.addAll(List.of(
                "-jar",
                layout.broker().toString(),
                "--listeners=PLAINTEXT://" + listen,
                "--advertised.listeners=PLAINTEXT://" + advertise,
                "--log.dirs=" + logDirs.stream().map(Path::toString).collect(Collectors.joining(","))));
        configuration.forEach((key, value) -> command.add("--" + key + "=" + value));
        BundledBroker broker = new BundledBroker(folder, logDirs, List.copyOf(command), listen, advertise);
        try {
            broker.start(ONLY);
            broker.awaitAll();
            return broker;
        } catch (IOException | InterruptedException notStarted) {
            broker.close();
            throw notStarted;
        }
    }

    @Override
    public String description() {
        return "the bundled broker";
    }

    @Override
    public int count() {
        return ONLY;
    }

    @Override
    public String bootstrap() {
        return advertise;
    }

    @Override
    public String directBootstrap() {
        return listen;
    }

    @Override
    public void freeze(int id) throws IOException, InterruptedException {
        process.freeze();
    }

    @Override
    public void thaw(int id) throws IOException, InterruptedException {
        process.thaw();
    }

    @Override
    public void kill(int id) throws InterruptedException {
        process.kill();
    }

    @Override
    public void stop(int id) {
        process.close();
    }

    @Override
    public void start(int id) throws IOException {
        starts.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        process = JvmProcess.start("the bundled broker", new ProcessBuilder(command), null);
    }

    @Override
    public void awaitAll() throws IOException, InterruptedException {
        process.awaitLine(READY, PATIENCE);
    }

    @Override
    public Path folder(int id, TopicPartition partition) throws IOException {
        for (Path directory : directories) {
            Path candidate = directory.resolve(partition.toString());
            if (Files.isDirectory(candidate)) {
                return candidate;
            }
        }
        throw new IOException(partition + " is in none of " + directories);
    }

    /** Its groups live in memory: only offsets survive it. */
    @Override
    public List<Long> forgotGroupsAt() {
        return List.copyOf(starts);
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.close();
        }
        folder.close();
    }
}
