package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.host.KernelTrace;
import io.faultline.bench.kafka.KafkaNode.NodeHome;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Kafka's command-line tools in an environment where {@code KAFKA_OPTS} names the agent, as it is on a broker's machine: they print what they print without it, end as
 * they end without it, and listen nowhere.
 */
@Command(
        name = "kafka-tools",
        description = {
            "Kafka's command-line tools run unchanged where KAFKA_OPTS names the agent",
            "It holds if each ends and prints as it does without the agent, and listens nowhere."
        },
        mixinStandardHelpOptions = true)
public final class KafkaTools extends Experiment {

    private static final String TOPIC = "tools";
    private static final String RECORDS = "one\ntwo\nthree\n";

    @Mixin
    private KafkaOptions kafka;

    /** Made by the command line. */
    public KafkaTools() {}

    /**
     * A tool with its arguments.
     *
     * @param name what it is called
     * @param mainClasses where it is, by release
     * @param input what it is given to read
     * @param arguments its arguments
     */
    private record Tool(String name, List<String> mainClasses, String input, String... arguments) {}

    /**
     * How a run of a tool ended.
     *
     * @param exit its exit status
     * @param output what it printed
     * @param listens how often it listened somewhere, 0 where nobody looked
     */
    private record Run(int exit, String output, long listens) {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        kafka.describe(report);
        try (KafkaCluster cluster = KafkaCluster.of(layout, kafka.version())
                        .java(kafka.java(layout))
                        .keepLogs(kafka.logs())
                        .brokers(1)
                        .start();
                ClusterAdmin admin = cluster.admin();
                // An agent that did not know a tool from a server would find its port taken, and say so.
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            admin.create(TOPIC, List.of(1), Map.of());
            KafkaJars jars = KafkaJars.ofTools(layout, kafka.version());
            NodeHome home = new NodeHome(layout, kafka.java(layout), jars, cluster.folder(), cluster.folder());
            String agent = "-javaagent:" + layout.agent() + "=metrics.port=" + taken.getLocalPort();
            Table table = new Table(List.of("exit status", "lines, without the agent", "lines, with it", "listens"));
            for (Tool tool : tools(cluster)) {
                Run without = run(home, tool, List.of());
                Run with = run(home, tool, List.of(agent));
                report.say("%s: %d and %d", tool.name(), without.exit(), with.exit());
                table.row(
                        tool.name(),
                        List.of(
                                with.exit(),
                                without.output().lines().count(),
                                with.output().lines().count(),
                                with.listens()));
                report.claim(without.exit() == 0, tool.name() + " works without the agent: " + without);
                report.claim(with.exit() == without.exit(), tool.name() + " ends as without the agent: " + with);
                report.claim(
                        with.output().equals(without.output()),
                        tool.name() + " prints the same: " + without + " and " + with);
                report.claim(with.listens() == 0, tool.name() + " listens nowhere");
            }
            report.table("Tools of Kafka " + kafka.version(), table);
        }
    }

    private static List<Tool> tools(KafkaCluster cluster) {
        String bootstrap = cluster.bootstrap();
        return List.of(
                new Tool(
                        "topics",
                        List.of("org.apache.kafka.tools.TopicCommand", "kafka.admin.TopicCommand"),
                        "",
                        "--bootstrap-server",
                        bootstrap,
                        "--describe",
                        "--topic",
                        TOPIC),
                new Tool(
                        "console-producer",
                        List.of("org.apache.kafka.tools.ConsoleProducer", "kafka.tools.ConsoleProducer"),
                        RECORDS,
                        "--bootstrap-server",
                        bootstrap,
                        "--topic",
                        TOPIC),
                new Tool(
                        "console-consumer",
                        List.of("org.apache.kafka.tools.consumer.ConsoleConsumer", "kafka.tools.ConsoleConsumer"),
                        "",
                        "--bootstrap-server",
                        bootstrap,
                        "--topic",
                        TOPIC,
                        "--partition",
                        "0",
                        "--offset",
                        "earliest",
                        "--max-messages",
                        "3"),
                new Tool(
                        "dump-log",
                        List.of("org.apache.kafka.tools.DumpLogSegments", "kafka.tools.DumpLogSegments"),
                        "",
                        "--files",
                        cluster.folder()
                                .resolve("broker-1/" + TOPIC + "-0/00000000000000000000.timeindex")
                                .toString()),
                new Tool(
                        "storage",
                        List.of("kafka.tools.StorageTool"),
                        "",
                        "info",
                        "--config",
                        cluster.folder().resolve("broker-1.properties").toString()));
    }

    private static Run run(NodeHome home, Tool tool, List<String> agent) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(agent);
        options.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        ProcessBuilder builder = home.tool(options, home.jars().firstOf(tool.mainClasses()), List.of(tool.arguments()));
        Path trace = home.folder().resolve("tool.strace");
        if (KernelTrace.isAvailable()) {
            List<String> watched = List.of("strace", "-D", "-f", "-qq", "--seccomp-bpf", "-o", trace.toString());
            builder.command().addAll(0, List.of("-e", "trace=listen", "-e", "signal=none"));
            builder.command().addAll(0, watched);
        }
        Process process = builder.redirectErrorStream(true).start();
        try (OutputStream input = process.getOutputStream()) {
            input.write(tool.input().getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.waitFor();
        long listens = Files.exists(trace)
                ? Files.readAllLines(trace).stream()
                        .filter(line -> line.contains("listen("))
                        .count()
                : 0;
        return new Run(exit, output, listens);
    }
}
