package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.KernelTrace;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.KafkaNode.NodeHome;
import io.faultline.broker.tls.GeneratedTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;

/** A cluster of real Apache Kafka on this machine's loopback, each node a process of its own. */
final class KafkaCluster implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final long LOOK_AGAIN_MILLIS = 200;

    private final TemporaryFolder folder;
    private final Coordination coordination;
    private final List<KafkaNode> brokers;
    private final List<Integer> plaintextPorts;
    private final List<Integer> tlsPorts;
    private final GeneratedTls tls;

    private KafkaCluster(
            TemporaryFolder folder,
            Coordination coordination,
            List<KafkaNode> brokers,
            List<Integer> plaintextPorts,
            List<Integer> tlsPorts,
            GeneratedTls tls) {
        this.folder = folder;
        this.coordination = coordination;
        this.brokers = brokers;
        this.plaintextPorts = plaintextPorts;
        this.tlsPorts = tlsPorts;
        this.tls = tls;
    }

    static Builder of(Layout layout, KafkaVersion version) {
        return new Builder(layout, version);
    }

    /** A broker by its id, from 1 on. */
    KafkaNode broker(int id) {
        return brokers.get(id - 1);
    }

    List<KafkaNode> brokers() {
        return brokers;
    }

    /** The controller, or ZooKeeper. */
    KafkaNode coordinator() {
        return coordination.node();
    }

    /** The folder of the cluster's own, in which its nodes are started. */
    Path folder() {
        return folder.path();
    }

    /** Host and port of a broker's plaintext listener. */
    String address(int id) {
        return "127.0.0.1:" + plaintextPorts.get(id - 1);
    }

    String bootstrap() {
        return addresses(plaintextPorts);
    }

    /** What a client needs to connect over plaintext. */
    Properties plaintextClient() {
        Properties client = new Properties();
        client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap());
        return client;
    }

    /** What a client needs to connect over TLS. */
    Properties tlsClient() {
        Properties client = new Properties();
        client.putAll(tls.clientProperties());
        client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, addresses(tlsPorts));
        return client;
    }

    ClusterAdmin admin() {
        return new ClusterAdmin(plaintextClient());
    }

    private static String addresses(List<Integer> ports) {
        return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    private void start() throws IOException, InterruptedException {
        coordination.start(brokers);
        for (KafkaNode broker : brokers) {
            broker.start();
        }
        awaitAllBrokers();
        for (KafkaNode broker : brokers) {
            if (broker.hasAgent()) {
                broker.awaitAgent(PATIENCE);
            }
        }
    }

    /** Waits until every broker has joined. */
    void awaitAllBrokers() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (ClusterAdmin admin = admin()) {
            while (admin.countBrokers() < brokers.size()) {
                for (KafkaNode broker : brokers) {
                    if (!broker.process().isAlive()) {
                        throw new IOException(
                                broker.name() + " ended:\n" + broker.process().tail());
                    }
                }
                if (System.nanoTime() > deadline) {
                    throw new IOException("not all brokers joined; the first says:\n"
                            + brokers.get(0).process().tail());
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
            }
        }
    }

    @Override
    public void close() throws IOException {
        // Killed, not shut down: nothing of them is kept, and an orderly shutdown waits for what has already gone.
        try {
            for (KafkaNode broker : brokers) {
                if (broker.process() != null) {
                    broker.process().kill();
                }
            }
            if (coordination.node().process() != null) {
                coordination.node().process().kill();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            folder.close();
        }
    }

    /** Builds and starts a cluster. */
    static final class Builder {

        private final Layout layout;
        private final KafkaVersion version;
        private final Map<Integer, List<String>> logDirs = new HashMap<>();
        private final Map<Integer, String> metadataLogDirs = new HashMap<>();
        private final Map<String, String> extra = new LinkedHashMap<>();
        private final Map<Integer, List<String>> jvmOptions = new HashMap<>();
        private int brokers = 3;
        private Path java;
        private Path logs;
        private int traced;
        private List<String> controllerOptions = List.of();
        private Path controllerDirectory;

        private Builder(Layout layout, KafkaVersion version) {
            this.layout = layout;
            this.version = version;
            this.java = layout.java();
        }

        Builder brokers(int number) {
            brokers = number;
            return this;
        }

        /** What runs the nodes; the JVM that runs this by default. */
        Builder java(Path executable) {
            java = executable;
            return this;
        }

        /** Where to keep what the nodes print; it goes with the cluster by default. */
        Builder keepLogs(Path directory) {
            logs = directory;
            return this;
        }

        /** A broker's log directories as its configuration spells them; one of the cluster's own by default. */
        Builder logDirs(int broker, String... directories) {
            logDirs.put(broker, List.of(directories));
            return this;
        }

        /** Where a broker keeps its copy of the metadata log; in its first log directory by default. */
        Builder metadataLogDir(int broker, String directory) {
            metadataLogDirs.put(broker, directory);
            return this;
        }

        /** The directory of the controller's metadata log; one of the cluster's own by default. */
        Builder controllerDirectory(Path directory) {
            controllerDirectory = directory;
            return this;
        }

        /** An option of every broker's configuration. */
        Builder property(String key, String value) {
            extra.put(key, value);
            return this;
        }

        /** Starts every node but ZooKeeper with the agent. */
        Builder agent(String options) {
            List<String> agent = List.of("-javaagent:" + layout.agent() + "=" + options);
            for (int id = 1; id <= brokers; id++) {
                jvmOptions.put(id, agent);
            }
            controllerOptions = agent;
            return this;
        }

        /** Counts the reads of a broker that fail, where strace is installed. */
        Builder traced(int broker) {
            traced = broker;
            return this;
        }

        KafkaCluster start() throws IOException, InterruptedException {
            KafkaJars jars = KafkaJars.ofNodes(layout, version);
            TemporaryFolder folder = TemporaryFolder.named("faultline-kafka");
            try {
                Path copies = logs == null ? folder.make("logs") : Files.createDirectories(logs);
                NodeHome home = new NodeHome(layout, java, jars, folder.path(), copies);
                GeneratedTls tls = GeneratedTls.in(folder.path().resolve("tls"));
                Path directory = controllerDirectory == null ? folder.make("coordination") : controllerDirectory;
                Coordination coordination = version.needsZooKeeper()
                        ? new ZooKeeper(home, directory)
                        : new Kraft(home, directory, controllerOptions, Map.of());
                List<KafkaNode> nodes = new ArrayList<>();
                List<Integer> plaintextPorts = new ArrayList<>();
                List<Integer> tlsPorts = new ArrayList<>();
                for (int id = 1; id <= brokers; id++) {
                    plaintextPorts.add(FreePorts.next());
                    tlsPorts.add(FreePorts.next());
                    Map<String, String> properties = new LinkedHashMap<>(small());
                    properties.putAll(coordination.brokerProperties(id));
                    properties.putAll(tls.serverProperties());
                    String listeners = "PLAINTEXT://127.0.0.1:" + plaintextPorts.get(id - 1) + ",SSL://127.0.0.1:"
                            + tlsPorts.get(id - 1);
                    properties.put("listeners", listeners);
                    properties.put("advertised.listeners", listeners);
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
                    nodes.add(new KafkaNode(
                            home,
                            "broker-" + id,
                            "kafka.Kafka",
                            properties,
                            jvmOptions.getOrDefault(id, List.of()),
                            trace));
                }
                KafkaCluster cluster = new KafkaCluster(folder, coordination, nodes, plaintextPorts, tlsPorts, tls);
                try {
                    cluster.start();
                    return cluster;
                } catch (IOException | InterruptedException | RuntimeException notStarted) {
                    cluster.close();
                    throw notStarted;
                }
            } catch (IOException | InterruptedException | RuntimeException failed) {
                folder.close();
                throw failed;
            }
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
}
