package io.faultline.bench.librdkafka;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.BrokerProcess;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.kafka.SingleKafka;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A broker that tests are run on.
 *
 * @param address its host and port
 * @param process ends it
 */
record TestedBroker(String address, Closeable process) implements Closeable {

    /** Which brokers there are. */
    enum Kind {
        /** Apache Kafka, one node. */
        KAFKA,
        /** The bundled one. */
        BROKER
    }

    /**
     * Starts a broker.
     *
     * @param kind which one
     * @param kafka the release of Apache Kafka
     * @param scenario the configuration that the tests are for
     */
    static TestedBroker start(Kind kind, Layout layout, KafkaVersion kafka, String scenario)
            throws IOException, InterruptedException {
        Map<String, String> properties = properties(scenario);
        if (kind == Kind.KAFKA) {
            SingleKafka node = SingleKafka.start(layout, kafka, properties);
            return new TestedBroker(node.address(), node::close);
        }
        TemporaryFolder folder = TemporaryFolder.named("faultline-librdkafka");
        List<String> arguments = Stream.concat(
                        Stream.of("--log.dirs=" + folder.make("a") + "," + folder.make("b")),
                        properties.entrySet().stream().map(entry -> "--" + entry.getKey() + "=" + entry.getValue()))
                .collect(Collectors.toList());
        try {
            BrokerProcess process = BrokerProcess.start(layout, arguments);
            return new TestedBroker(process.address("PLAINTEXT"), () -> {
                process.close();
                folder.close();
            });
        } catch (IOException | InterruptedException notStarted) {
            folder.close();
            throw notStarted;
        }
    }

    /**
     * What both are told, as librdkafka's own scenarios have it. Members that come together have to begin together, as with Kafka's default of 3 s: 0118 takes it for
     * granted.
     */
    private static Map<String, String> properties(String scenario) {
        return Map.of(
                "auto.create.topics.enable", Boolean.toString(!scenario.equals("noautocreate")),
                "num.partitions", "4",
                "group.initial.rebalance.delay.ms", "1000");
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
