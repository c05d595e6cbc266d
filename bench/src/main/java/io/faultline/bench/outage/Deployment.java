package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.BrokerNetwork;
import io.faultline.bench.broker.Brokers;
import io.faultline.bench.broker.BundledBroker;
import io.faultline.bench.kafka.KafkaBrokers;
import io.faultline.bench.kafka.KafkaVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which brokers.
 *
 * @param layout where the jars are
 * @param kafka the release of three brokers of Apache Kafka, or null for the one bundled broker
 */
record Deployment(Layout layout, KafkaVersion kafka) {

    private static final int KAFKA_BROKERS = 3;
    private static final String AGENT = "mode=act";

    int brokers() {
        return kafka == null ? 1 : KAFKA_BROKERS;
    }

    String title() {
        return kafka == null ? "bundled broker" : "Kafka " + kafka;
    }

    /** How many replicas a partition has, and how many of them must have a record before it is acknowledged. */
    Map<String, String> topicConfiguration() {
        return kafka == null ? Map.of() : Map.of("min.insync.replicas", "2");
    }

    /** Starts them; with the agent where the first of them has directories of its own. */
    Brokers start(BrokerNetwork network, Path folder, List<Path> ofFirst) throws IOException, InterruptedException {
        Map<String, String> configuration = new LinkedHashMap<>();
        configuration.put("group.initial.rebalance.delay.ms", "0");
        configuration.put("group.min.session.timeout.ms", "100");
        if (kafka == null) {
            List<String> options =
                    ofFirst.isEmpty() ? List.of() : List.of("-javaagent:" + layout.agent() + "=" + AGENT);
            return BundledBroker.start(layout, network, ofFirst, options, configuration);
        }
        configuration.put("offsets.topic.replication.factor", Integer.toString(KAFKA_BROKERS));
        configuration.put("broker.session.timeout.ms", "3000");
        configuration.put("broker.heartbeat.interval.ms", "500");
        // A broker that shuts down in an orderly way shall not wait for others that are away.
        configuration.put("controlled.shutdown.max.retries", "1");
        return KafkaBrokers.start(
                layout, kafka, network, folder, ofFirst, ofFirst.isEmpty() ? null : AGENT, configuration);
    }
}
