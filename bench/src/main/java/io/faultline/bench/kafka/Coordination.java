package io.faultline.bench.kafka;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What makes brokers a cluster: KRaft or ZooKeeper. */
interface Coordination {

    /** What a broker's configuration needs for it, its listeners put in. */
    Map<String, String> brokerProperties(int id, String listeners);

    /** Prepares the brokers' directories and starts what the brokers need. */
    void start(List<KafkaNode> brokers) throws IOException, InterruptedException;

    /** The node that coordinates. */
    KafkaNode node();
}
