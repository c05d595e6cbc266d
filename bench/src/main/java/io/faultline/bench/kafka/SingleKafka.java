package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import java.io.IOException;
import java.util.Map;

/** One node of Apache Kafka, broker and controller in one, as a process of its own. */
public final class SingleKafka implements AutoCloseable {

    private final KafkaCluster cluster;

    private SingleKafka(KafkaCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Starts a node and waits until it serves.
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
        ClusterBuilder builder =
                KafkaCluster.of(layout, version).brokers(1).combined().kraft();
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

    @Override
    public void close() throws IOException {
        cluster.close();
    }
}
