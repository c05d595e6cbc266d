package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.BrokerNetwork;
import io.faultline.bench.host.KernelTrace;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.KafkaNode.NodeHome;
import io.faultline.broker.tls.GeneratedTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Builds and starts a cluster. Brokers are numbered from 1 on. */
final class ClusterBuilder {

    private static final String FRONT = "FRONT";

    private final Layout layout;
    private final KafkaVersion version;
    private final Map<Integer, List<String>> logDirs = new HashMap<>();
    private final Map<Integer, String> metadataLogDirs = new HashMap<>();
    private final Map<String, String> extra = new LinkedHashMap<>();
    private final Set<Integer> absent = new HashSet<>();
    private int brokers = 3;
    private Path java;
    private Path logs;
    private int traced;
    private List<String> agent = List.of();
    private List<String> jvm = KafkaNode.SMALL;
    private Path controllerDirectory;
    private boolean combined;
    private boolean kraft;
    private boolean inOneJvm;
    private BrokerNetwork network = BrokerNetwork.LOOPBACK;

    ClusterBuilder(Layout layout, KafkaVersion version) {
        this.layout = layout;
        this.version = version;
        this.java = layout.java();
    }

    /** How many brokers, 3 by default. */
    ClusterBuilder brokers(int number) {
        brokers = number;
        return this;
    }

    /** What runs the nodes; the JVM that runs this by default. */
    ClusterBuilder java(Path executable) {
        java = executable;
        return this;
    }

    /** Where to keep what the nodes print; null for no longer than the cluster. */
    ClusterBuilder keepLogs(Path directory) {
        logs = directory;
        return this;
    }

    /** A broker's log directories as its configuration spells them; one of the cluster's own by default. */
    ClusterBuilder logDirs(int broker, String... directories) {
        logDirs.put(broker, List.of(directories));
        return this;
    }

    /** Where a broker keeps its copy of the metadata log; in its first log directory by default. */
    ClusterBuilder metadataLogDir(int broker, String directory) {
        metadataLogDirs.put(broker, directory);
        return this;
    }

    /** The directory of the controller's metadata log; one of the cluster's own by default. */
    ClusterBuilder controllerDirectory(Path directory) {
        controllerDirectory = directory;
        return this;
    }

    /** The first broker is the controller too, instead of a node of its own. */
    ClusterBuilder combined() {
        combined = true;
        return this;
    }

    /** KRaft, also where several log directories take ZooKeeper. */
    ClusterBuilder kraft() {
        kraft = true;
        return this;
    }

    /** All brokers in one JVM. */
    ClusterBuilder inOneJvm() {
        inOneJvm = true;
        return this;
    }

    /** Where the nodes live, and by what the clients reach them; the loopback, directly, by default. */
    ClusterBuilder network(BrokerNetwork where) {
        network = where;
        return this;
    }

    /** An option of every node's configuration. */
    ClusterBuilder property(String key, String value) {
        extra.put(key, value);
        return this;
    }

    /** Starts every node but ZooKeeper with the agent. */
    ClusterBuilder agent(String options) {
        agent = List.of("-javaagent:" + layout.agent() + "=" + options);
        return this;
    }

    /** The options of every node's JVM, instead of those of small ones that start fast. */
    ClusterBuilder jvm(List<String> options) {
        jvm = List.copyOf(options);
        return this;
    }

    /** Counts the reads of a broker that fail, where strace is installed. */
    ClusterBuilder traced(int broker) {
        traced = broker;
        return this;
    }

    /** Does not start a broker; it is formatted and may be started later. */
    ClusterBuilder absent(int broker) {
        absent.add(broker);
        return this;
    }

    KafkaCluster start() throws IOException, InterruptedException {
        KafkaJars jars = KafkaJars.ofNodes(layout, version);
        TemporaryFolder folder = TemporaryFolder.named("faultline-kafka");
        KafkaCluster cluster = null;
        try {
            Path copies = logs == null ? folder.make("logs") : Files.createDirectories(logs);
            NodeHome home = new NodeHome(layout, java, jars, folder.path(), copies, network.command());
            GeneratedTls tls = GeneratedTls.in(folder.path().resolve("tls"));
            Coordination coordination = coordination(home, folder);
            List<KafkaNode> nodes = new ArrayList<>();
            List<BrokerPorts> ports = new ArrayList<>();
            for (int id = 1; id <= brokers; id++) {
                BrokerPorts free = BrokerPorts.free(network.host(id));
                ports.add(free);
                nodes.add(broker(id, free, home, folder, coordination, tls));
            }
            cluster = new KafkaCluster(home, folder, coordination, nodes, ports, tls);
            cluster.start(absent, inOneJvm);
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException notStarted) {
            if (cluster == null) {
                folder.close();
            } else {
                cluster.close();
            }
            throw notStarted;
        }
    }

    private Coordination coordination(NodeHome home, TemporaryFolder folder) throws IOException {
        if (combined) {
            return new CombinedKraft();
        }
        Path directory = controllerDirectory == null ? folder.make("coordination") : controllerDirectory;
        return version.needsZooKeeper() && !kraft
                ? new ZooKeeper(home, directory)
                : new Kraft(
                        home,
                        directory,
                        Stream.concat(jvm.stream(), agent.stream()).toList(),
                        extra);
    }

    private KafkaNode broker(
            int id,
            BrokerPorts ports,
            NodeHome home,
            TemporaryFolder folder,
            Coordination coordination,
            GeneratedTls tls)
            throws IOException {
        Map<String, String> properties = new LinkedHashMap<>(small());
        properties.putAll(coordination.brokerProperties(id, ports.listeners()));
        if (network.front(id) != null) {
            addFront(properties, network.front(id));
        }
        properties.putAll(tls.serverProperties());
        properties.put("inter.broker.listener.name", "PLAINTEXT");
        List<String> directories = logDirs.containsKey(id)
                ? logDirs.get(id)
                : List.of(folder.make("broker-" + id).toString());
        properties.put("log.dirs", String.join(",", directories));
        if (metadataLogDirs.containsKey(id)) {
            properties.put("metadata.log.dir", metadataLogDirs.get(id));
        }
        properties.putAll(extra);
        KernelTrace trace = id == traced && KernelTrace.isAvailable()
                ? new KernelTrace(folder.path().resolve("broker-" + id + ".strace"))
                : null;
        List<String> jvmOptions = Stream.concat(jvm.stream(), agent.stream()).toList();
        return new KafkaNode(home, "broker-" + id, "kafka.Kafka", properties, jvmOptions, trace);
    }

    /** A listener of its own for the clients that come through a proxy: brokers and administrators go past that. */
    private static void addFront(Map<String, String> properties, BrokerNetwork.Front front) {
        properties.merge("listeners", "," + FRONT + "://" + front.listen(), String::concat);
        properties.merge("advertised.listeners", "," + FRONT + "://" + front.advertise(), String::concat);
        properties.merge("listener.security.protocol.map", "," + FRONT + ":PLAINTEXT", String::concat);
    }

    /** So that four nodes fit on a small machine. */
    private static Map<String, String> small() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("num.network.threads", "2");
        properties.put("num.io.threads", "4");
        properties.put("num.replica.alter.log.dirs.threads", "1");
        properties.put("offsets.topic.num.partitions", "1");
        properties.put("offsets.topic.replication.factor", "1");
        properties.put("log.cleaner.dedupe.buffer.size", Integer.toString(4 << 20));
        properties.put("log.cleaner.threads", "1");
        properties.put("auto.create.topics.enable", "false");
        properties.put("auto.leader.rebalance.enable", "false");
        properties.put("group.initial.rebalance.delay.ms", "0");
        return properties;
    }
}
