package io.faultline.bench.kafka;

import io.faultline.bench.host.FreePorts;
import io.faultline.bench.kafka.KafkaNode.NodeHome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One ZooKeeper, of the release that a release of Kafka comes with. */
final class ZooKeeper implements Coordination {

    private final int port = FreePorts.next();
    private final KafkaNode server;

    ZooKeeper(NodeHome home, Path directory) throws IOException {
        Map<String, String> properties = Map.of(
                "dataDir",
                directory.toString(),
                "clientPort",
                Integer.toString(port),
                "clientPortAddress",
                "127.0.0.1",
                "maxClientCnxns",
                "0",
                "admin.enableServer",
                "false",
                "tickTime",
                "1000");
        server = new KafkaNode(
                home,
                "zookeeper",
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                properties,
                Stream.concat(KafkaNode.SMALL.stream(), Stream.of("-Dzookeeper.admin.enableServer=false"))
                        .toList(),
                null);
    }

    @Override
    public Map<String, String> brokerProperties(int id, String listeners) {
        return Map.of(
                "listeners",
                listeners,
                "advertised.listeners",
                listeners,
                "broker.id",
                Integer.toString(id),
                "zookeeper.connect",
                "127.0.0.1:" + port,
                "zookeeper.connection.timeout.ms",
                "60000");
    }

    @Override
    public void start(List<KafkaNode> brokers) throws IOException {
        server.start();
    }

    @Override
    public KafkaNode node() {
        return server;
    }
}
