package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.KafkaNode.NodeHome;
import io.faultline.broker.tls.GeneratedTls;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.CommonClientConfigs;

/** A cluster of real Apache Kafka on this machine's loopback, each node a process of its own. */
final class KafkaCluster implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final Duration PATIENCE_WITH_BROKER = Duration.ofSeconds(10);
    private static final Duration IMPATIENCE_WITH_BROKER = Duration.ofSeconds(1);
    private static final Duration PATIENCE_AT_END = Duration.ofSeconds(2);
    private static final long LOOK_AGAIN_MILLIS = 200;

    private final NodeHome home;
    private final TemporaryFolder folder;
    private final Coordination coordination;
    private final List<KafkaNode> brokers;
    private final List<BrokerPorts> ports;
    private final GeneratedTls tls;

    KafkaCluster(
            NodeHome home,
            TemporaryFolder folder,
            Coordination coordination,
            List<KafkaNode> brokers,
            List<BrokerPorts> ports,
            GeneratedTls tls) {
        this.home = home;
        this.folder = folder;
        this.coordination = coordination;
        this.brokers = brokers;
        this.ports = ports;
        this.tls = tls;
    }

    static ClusterBuilder of(Layout layout, KafkaVersion version) {
        return new ClusterBuilder(layout, version);
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
        return ports.get(id - 1).plaintextAddress();
    }

    String bootstrap() {
        return addresses(BrokerPorts::plaintextAddress);
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
        client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, addresses(BrokerPorts::tlsAddress));
        return client;
    }

    ClusterAdmin admin() {
        return admin(PATIENCE_WITH_BROKER);
    }

    /** An administrator who soon asks another broker where one does not answer. */
    ClusterAdmin impatientAdmin() {
        return admin(IMPATIENCE_WITH_BROKER);
    }

    private ClusterAdmin admin(Duration patience) {
        return new ClusterAdmin(plaintextClient(), patience);
    }

    private String addresses(Function<BrokerPorts, String> address) {
        return ports.stream().map(address).collect(Collectors.joining(","));
    }

    /** Starts everything but the brokers that are to come later, if at all. */
    void start(Set<Integer> absent, boolean inOneJvm) throws IOException, InterruptedException {
        coordination.start(brokers);
        List<KafkaNode> present = IntStream.rangeClosed(1, brokers.size())
                .filter(id -> !absent.contains(id))
                .mapToObj(this::broker)
                .toList();
        if (inOneJvm) {
            KafkaNode.startInOneJvm(home, present);
        } else {
            for (KafkaNode broker : present) {
                broker.start();
            }
        }
        await(present);
    }

    /** Waits until every broker that was started has joined, and the agents in them are ready. */
    void awaitAllBrokers() throws IOException, InterruptedException {
        await(brokers.stream().filter(KafkaNode::isStarted).toList());
    }

    private void await(List<KafkaNode> started) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (ClusterAdmin admin = admin()) {
            while (admin.countBrokers() < started.size()) {
                for (KafkaNode broker : started) {
                    if (!broker.process().isAlive()) {
                        throw new IOException(
                                broker.name() + " ended:\n" + broker.process().tail());
                    }
                }
                if (System.nanoTime() > deadline) {
                    throw new IOException("not all brokers joined; the first says:\n"
                            + started.get(0).process().tail());
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
            }
        }
        for (KafkaNode broker : started) {
            if (broker.hasAgent()) {
                broker.awaitAgent(PATIENCE);
            }
        }
    }

    /** Ends every node. None gets much time: nothing of them is kept, and an orderly shutdown may wait for a node that has gone. */
    @Override
    public void close() throws IOException {
        List<JvmProcess> processes = Stream.concat(brokers.stream(), Stream.ofNullable(coordination.node()))
                .filter(KafkaNode::isStarted)
                .map(KafkaNode::process)
                .distinct()
                .toList();
        processes.forEach(JvmProcess::askToEnd);
        processes.forEach(process -> process.end(PATIENCE_AT_END));
        folder.close();
    }
}
