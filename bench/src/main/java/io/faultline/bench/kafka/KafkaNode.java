package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.host.AttachedAgent;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.KernelTrace;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** A node of a cluster: a process that can be started again. */
final class KafkaNode implements AutoCloseable {

    /** The options of a JVM of which several fit on a small machine, and which starts fast. */
    static final List<String> SMALL = List.of("-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private final NodeHome home;
    private final String name;
    private final String mainClass;
    private final Path configuration;
    private final List<String> jvmOptions;
    private final KernelTrace trace;
    private JvmProcess process;
    private int starts;

    /**
     * What the nodes of a cluster have in common.
     *
     * @param layout where the agent is
     * @param java what runs them
     * @param jars what they are
     * @param folder where their configurations are, and where they are started
     * @param logs where a copy of what they print goes
     * @param enter what their commands begin with, to be somewhere else than this process
     */
    record NodeHome(Layout layout, Path java, KafkaJars jars, Path folder, Path logs, List<String> enter) {

        /** Where this process is. */
        NodeHome(Layout layout, Path java, KafkaJars jars, Path folder, Path logs) {
            this(layout, java, jars, folder, logs, List.of());
        }

        /** A node of this release, which prints what happens in it. */
        ProcessBuilder node(List<String> jvmOptions, String mainClass, List<String> arguments) throws IOException {
            return command("node-log4j.properties", jvmOptions, mainClass, arguments);
        }

        /** A command-line tool of this release, which prints no more than it does for everybody. */
        ProcessBuilder tool(List<String> jvmOptions, String mainClass, List<String> arguments) throws IOException {
            return command("tool-log4j.properties", jvmOptions, mainClass, arguments);
        }

        private ProcessBuilder command(
                String logging, List<String> jvmOptions, String mainClass, List<String> arguments) throws IOException {
            Path classPath = Files.createDirectories(folder.resolve("classpath-" + logging));
            Files.writeString(classPath.resolve("log4j.properties"), KafkaJars.resource(logging));
            List<String> command = new ArrayList<>(enter);
            command.add(java.toString());
            command.addAll(jvmOptions);
            // Some releases bring Log4j 2 too, which would complain of having nothing to do.
            command.add("-Dlog4j2.StatusLogger.level=OFF");
            command.addAll(List.of("-cp", classPath + ":" + jars.classPath(), mainClass));
            command.addAll(arguments);
            return new ProcessBuilder(command).directory(folder.toFile());
        }
    }

    /**
     * Makes a node that does not run yet.
     *
     * @param home what it has in common with others
     * @param name what it is called
     * @param mainClass what it runs
     * @param properties its configuration
     * @param jvmOptions the options of its JVM, the agent among them
     * @param trace watches its reads, or null
     */
    KafkaNode(
            NodeHome home,
            String name,
            String mainClass,
            Map<String, String> properties,
            List<String> jvmOptions,
            KernelTrace trace)
            throws IOException {
        this.home = home;
        this.name = name;
        this.mainClass = mainClass;
        this.configuration = home.folder().resolve(name + ".properties");
        this.jvmOptions = List.copyOf(jvmOptions);
        this.trace = trace;
        Properties file = new Properties();
        file.putAll(properties);
        try (Writer writer = Files.newBufferedWriter(configuration)) {
            file.store(writer, null);
        }
    }

    /** Starts it, and returns at once. */
    void start() throws IOException {
        start(List.of());
    }

    /** Starts it, this once with more options of its JVM, and returns at once. */
    void start(List<String> moreJvmOptions) throws IOException {
        starts++;
        List<String> options = new ArrayList<>(jvmOptions);
        options.addAll(moreJvmOptions);
        ProcessBuilder builder = home.node(options, mainClass, List.of(configuration.toString()));
        if (trace != null) {
            builder.command().addAll(0, trace.command());
        }
        String log = name + (starts == 1 ? "" : "-" + starts) + ".log";
        process = JvmProcess.start(name, builder, home.logs().resolve(log));
    }

    /** Starts nodes as one process, with the options of the first. */
    static void startInOneJvm(NodeHome home, List<KafkaNode> nodes) throws IOException {
        List<String> options = new ArrayList<>(nodes.get(0).jvmOptions);
        options.add("-Xmx512m");
        List<String> configurations =
                nodes.stream().map(node -> node.configuration.toString()).toList();
        ProcessBuilder builder = home.node(options, SeveralKafkas.class.getName(), configurations);
        List<String> command = builder.command();
        int classPath = command.indexOf("-cp") + 1;
        command.set(classPath, command.get(classPath) + ":" + home.layout().bench());
        JvmProcess process =
                JvmProcess.start("the JVM of all brokers", builder, home.logs().resolve("brokers.log"));
        nodes.forEach(node -> node.process = process);
    }

    /** Formats its directories for a cluster, as KRaft wants it, in a process that is to be waited for. */
    JvmProcess format(String clusterId) throws IOException {
        List<String> arguments = List.of("format", "--cluster-id", clusterId, "--config", configuration.toString());
        return JvmProcess.start(
                "the storage tool for " + name,
                home.tool(SMALL, "kafka.tools.StorageTool", arguments),
                home.logs().resolve(name + "-format.log"));
    }

    String name() {
        return name;
    }

    boolean isStarted() {
        return process != null;
    }

    JvmProcess process() {
        return process;
    }

    KernelTrace trace() {
        return trace;
    }

    AttachedAgent agent() {
        return new AttachedAgent(home.layout(), process.pid());
    }

    boolean hasAgent() {
        return jvmOptions.stream().anyMatch(option -> option.startsWith("-javaagent:"));
    }

    /** Waits until the agent in it has woven and found the broker. */
    void awaitAgent(Duration patience) throws IOException, InterruptedException {
        process.awaitLine("woven ", patience);
        process.awaitLine("found kafka-" + name + ",", patience);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
