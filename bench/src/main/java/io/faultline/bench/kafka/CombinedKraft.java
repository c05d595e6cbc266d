package io.faultline.bench.kafka;

import io.faultline.bench.host.FreePorts;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The first broker is the controller, too. */
final class CombinedKraft implements Coordination {

    private static final int COMBINED = 1;

    private final String controllerListener = Kraft.LISTENER + "://127.0.0.1:" + FreePorts.next();
    private KafkaNode node;

    CombinedKraft() throws IOException {}

    @Override
    public Map<String, String> brokerProperties(int id, String listeners) {
        boolean combined = id == COMBINED;
        String voter = COMBINED + "@" + controllerListener.substring(controllerListener.indexOf("//") + 2);
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("controller.quorum.voters", voter);
        properties.put("controller.listener.names", Kraft.LISTENER);
        properties.put("listener.security.protocol.map", Kraft.PROTOCOLS);
        properties.put("process.roles", combined ? "broker,controller" : "broker");
        properties.put("node.id", Integer.toString(id));
        properties.put("listeners", combined ? listeners + "," + controllerListener : listeners);
        properties.put("advertised.listeners", listeners);
        return properties;
    }

    @Override
    public void start(List<KafkaNode> brokers) throws IOException, InterruptedException {
        node = brokers.get(COMBINED - 1);
        Kraft.format(brokers);
    }

    @Override
    public KafkaNode node() {
        return node;
    }
}
