package io.faultline.bench.kafka;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What makes brokers a cluster: KRaft or ZooKeeper. */
interface Coordination extends AutoCloseable {

    /** What a broker's configuration needs for it. */
    Map<String, String> brokerProperties(int id);

    /** Prepares the brokers' directories and starts what the brokers need. */
    void start(List<KafkaNode> brokers) throws IOException, InterruptedException;

    /** The node of its own that coordinates. */
    KafkaNode node();

    @Override
    void close();
}
