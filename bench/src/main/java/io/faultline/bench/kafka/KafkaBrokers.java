package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.BrokerNetwork;
import io.faultline.bench.broker.Brokers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;

/** Three brokers of real Apache Kafka and their controller, to which faults are done. The controller is left alone. */
public final class KafkaBrokers implements Brokers {

    private static final int COUNT = 3;

    private final KafkaVersion version;
    private final BrokerNetwork network;
    private final List<List<Path>> directories;
    private final KafkaCluster cluster;

    private KafkaBrokers(
            KafkaVersion version, BrokerNetwork network, List<List<Path>> directories, KafkaCluster cluster) {
        this.version = version;
        this.network = network;
        this.directories = directories;
        this.cluster = cluster;
    }

    /**
     * Starts a cluster and waits until its brokers have joined.
     *
     * @param layout where the jars are
     * @param version which Kafka
     * @param network where the nodes live
     * @param folder where brokers keep their logs
     * @param ofFirst the log directories of the first broker instead; empty for one like the others'
     * @param agent the options of the agent in every node, or null for no agent
     * @param configuration more keys and values of every node
     * @return the running cluster
     * @throws IOException if it does not start
     * @throws InterruptedException if interrupted meanwhile
     */
    public static KafkaBrokers start(
            Layout layout,
            KafkaVersion version,
            BrokerNetwork network,
            Path folder,
            List<Path> ofFirst,
            String agent,
            Map<String, String> configuration)
            throws IOException, InterruptedException {
        ClusterBuilder builder = KafkaCluster.of(layout, version).network(network);
        List<List<Path>> directories = IntStream.rangeClosed(1, COUNT)
                .mapToObj(id -> id == 1 && !ofFirst.isEmpty() ? ofFirst : List.of(folder.resolve("broker-" + id)))
                .toList();
        for (int id = 1; id <= COUNT; id++) {
            List<Path> own = directories.get(id - 1);
            for (Path directory : own) {
                Files.createDirectories(directory);
            }
            builder.logDirs(id, own.stream().map(Path::toString).toArray(String[]::new));
            builder.metadataLogDir(id, own.get(0).toString());
        }
        if (agent != null) {
            builder.agent(agent);
        }
        configuration.forEach(builder::property);
        return new KafkaBrokers(version, network, directories, builder.start());
    }

    @Override
    public String description() {
        return "Kafka " + version + ", " + COUNT + " brokers";
    }

    @Override
    public int count() {
        return COUNT;
    }

    @Override
    public String bootstrap() {
        return IntStream.rangeClosed(1, COUNT)
                .mapToObj(id -> network.front(id) == null
                        ? cluster.address(id)
                        : network.front(id).advertise())
                .collect(Collectors.joining(","));
    }

    @Override
    public String directBootstrap() {
        return cluster.bootstrap();
    }

    @Override
    public void freeze(int id) throws IOException, InterruptedException {
        cluster.broker(id).process().freeze();
    }

    @Override
    public void thaw(int id) throws IOException, InterruptedException {
        cluster.broker(id).process().thaw();
    }

    @Override
    public void kill(int id) throws InterruptedException {
        cluster.broker(id).process().kill();
    }

    @Override
    public void stop(int id) {
        cluster.broker(id).close();
    }

    @Override
    public void start(int id) throws IOException {
        cluster.broker(id).start();
    }

    @Override
    public void awaitAll() throws IOException, InterruptedException {
        cluster.awaitAllBrokers();
    }

    @Override
    public Path folder(int id, TopicPartition partition) throws IOException {
        for (Path directory : directories.get(id - 1)) {
            Path candidate = directory.resolve(partition.toString());
            if (Files.isDirectory(candidate)) {
                return candidate;
            }
        }
        throw new IOException(partition + " is in none of " + directories.get(id - 1));
    }

    @Override
    public void close() throws IOException {
        cluster.close();
    }
}
