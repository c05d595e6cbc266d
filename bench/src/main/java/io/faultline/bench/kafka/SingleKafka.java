package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** One node of Apache Kafka, broker and controller in one, as a process of its own. */
public final class SingleKafka implements AutoCloseable {

    private final KafkaCluster cluster;

    private SingleKafka(KafkaCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Starts a node in a small JVM and waits until it serves.
     *
     * @param layout where releases of Kafka are kept
     * @param version the release
     * @param properties options of its configuration
     * @return the running node
     * @throws IOException if it does not start
     * @throws InterruptedException if interrupted meanwhile
     */
    public static SingleKafka start(Layout layout, KafkaVersion version, Map<String, String> properties)
            throws IOException, InterruptedException {
        return start(layout, version, properties, KafkaNode.SMALL);
    }

    /**
     * Starts a node and waits until it serves.
     *
     * @param layout where releases of Kafka are kept
     * @param version the release
     * @param properties options of its configuration
     * @param jvmOptions the options of its JVM
     * @return the running node
     * @throws IOException if it does not start
     * @throws InterruptedException if interrupted meanwhile
     */
    public static SingleKafka start(
            Layout layout, KafkaVersion version, Map<String, String> properties, List<String> jvmOptions)
            throws IOException, InterruptedException {
        ClusterBuilder builder =
                KafkaCluster.of(layout, version).brokers(1).combined().kraft().jvm(jvmOptions);
        // There is nobody to replicate to.
        for (String topic : new String[] {"transaction.state.log", "share.coordinator.state.topic"}) {
            builder.property(topic + ".replication.factor", "1").property(topic + ".min.isr", "1");
        }
        properties.forEach(builder::property);
        return new SingleKafka(builder.start());
    }

    /**
     * Where it listens, over plaintext.
     *
     * @return host and port
     */
    public String address() {
        return cluster.address(1);
    }

    /**
     * Where it listens on the loopback, over plaintext.
     *
     * @return the port
     */
    public int port() {
        String address = address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    /**
     * What a client needs to connect over plaintext.
     *
     * @return Kafka's names and values
     */
    public Properties plaintextClient() {
        return cluster.plaintextClient();
    }

    /**
     * What a client needs to connect over TLS.
     *
     * @return Kafka's names and values
     */
    public Properties tlsClient() {
        return cluster.tlsClient();
    }

    /**
     * The process as it runs now.
     *
     * @return the process, another one after a restart
     */
    public JvmProcess process() {
        return cluster.broker(1).process();
    }

    /** Ends it in an orderly way and waits for that. */
    public void stop() {
        cluster.broker(1).close();
    }

    /**
     * Starts it again with its old files, after it was stopped, and returns at once.
     *
     * @throws IOException if it cannot be started
     */
    public void startAgain() throws IOException {
        startAgain(List.of());
    }

    /**
     * Starts it again as {@link #startAgain()} does, this once with more options.
     *
     * @param moreJvmOptions options of its JVM besides those that it has always
     * @throws IOException if it cannot be started
     */
    public void startAgain(List<String> moreJvmOptions) throws IOException {
        cluster.broker(1).start(moreJvmOptions);
    }

    @Override
    public void close() throws IOException {
        cluster.close();
    }
}
