package io.faultline.bench.kafka;

import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.kafka.KafkaNode.NodeHome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/** One controller of its own. */
final class Kraft implements Coordination {

    static final int CONTROLLER_ID = 100;
    static final String LISTENER = "CONTROLLER";

    /** What each listener speaks. */
    static final String PROTOCOLS = LISTENER + ":PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL";

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final String voters;
    private final KafkaNode controller;

    Kraft(NodeHome home, Path directory, List<String> jvmOptions, Map<String, String> extra) throws IOException {
        int port = FreePorts.next();
        voters = CONTROLLER_ID + "@127.0.0.1:" + port;
        Map<String, String> properties = new LinkedHashMap<>(common());
        properties.put("process.roles", "controller");
        properties.put("node.id", Integer.toString(CONTROLLER_ID));
        properties.put("listeners", LISTENER + "://127.0.0.1:" + port);
        properties.put("log.dirs", directory.toString());
        properties.putAll(extra);
        controller = new KafkaNode(home, "controller", "kafka.Kafka", properties, jvmOptions, null);
    }

    /** What both the controller and the brokers are told. */
    private Map<String, String> common() {
        return Map.of(
                "controller.quorum.voters",
                voters,
                "controller.listener.names",
                LISTENER,
                "listener.security.protocol.map",
                PROTOCOLS);
    }

    @Override
    public Map<String, String> brokerProperties(int id, String listeners) {
        Map<String, String> properties = new LinkedHashMap<>(common());
        properties.put("process.roles", "broker");
        properties.put("node.id", Integer.toString(id));
        properties.put("listeners", listeners);
        properties.put("advertised.listeners", listeners);
        return properties;
    }

    @Override
    public void start(List<KafkaNode> brokers) throws IOException, InterruptedException {
        List<KafkaNode> all = new ArrayList<>(brokers);
        all.add(controller);
        format(all);
        controller.start();
    }

    /** Formats the directories of nodes for one new cluster. */
    static void format(List<KafkaNode> nodes) throws IOException, InterruptedException {
        String clusterId = Uuid.randomUuid().toString();
        List<JvmProcess> tools = new ArrayList<>();
        for (KafkaNode node : nodes) {
            tools.add(node.format(clusterId));
        }
        for (JvmProcess tool : tools) {
            try (tool) {
                if (tool.awaitExit(PATIENCE) != 0) {
                    throw new IOException("cannot format: " + tool.tail());
                }
            }
        }
    }

    @Override
    public KafkaNode node() {
        return controller;
    }
}
