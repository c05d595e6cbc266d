package io.faultline.broker.metrics;

import io.faultline.broker.group.GroupCoordinator;
import io.faultline.broker.log.LogDirectories;
import io.faultline.broker.log.LogDirectory;
import io.faultline.broker.log.Partition;
import io.faultline.broker.log.Topics;
import io.faultline.broker.network.SocketServer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * What a broker has, as numbers, each looked up when it is asked for. No method does I/O, so that none hangs with a disk. Safe for use by any thread.
 */
public final class BrokerFigures {

    private final TrafficCounts traffic;
    private final Set<ApiKeys> apis;
    private final LogDirectories directories;
    private final Topics topics;
    private final GroupCoordinator groups;
    private final SocketServer server;

    /**
     * Makes the figures of a broker.
     *
     * @param traffic what went through it
     * @param apis what it announces
     * @param directories its log directories
     * @param topics its topics
     * @param groups its consumer groups
     * @param server its connections
     */
    public BrokerFigures(
            TrafficCounts traffic,
            Set<ApiKeys> apis,
            LogDirectories directories,
            Topics topics,
            GroupCoordinator groups,
            SocketServer server) {
        this.traffic = traffic;
        this.apis = Set.copyOf(apis);
        this.directories = directories;
        this.topics = topics;
        this.groups = groups;
        this.server = server;
    }

    /**
     * What went through the broker.
     *
     * @return counts that go on
     */
    public TrafficCounts traffic() {
        return traffic;
    }

    /**
     * The APIs that the broker announces.
     *
     * @return a copy
     */
    public Set<ApiKeys> apis() {
        return apis;
    }

    /**
     * The protocols of the broker's listeners.
     *
     * @return such as PLAINTEXT and SSL
     */
    public List<String> protocols() {
        return server.protocols();
    }

    /**
     * How many connections are open.
     *
     * @param protocol one of {@link #protocols}
     * @return the count
     */
    public double connections(String protocol) {
        return server.figure("connection-count", protocol);
    }

    /**
     * How many connections were accepted so far.
     *
     * @param protocol one of {@link #protocols}
     * @return the count
     */
    public double acceptedConnections(String protocol) {
        return server.figure("connection-creation-total", protocol);
    }

    /**
     * How many connections ended in their TLS handshake.
     *
     * @param protocol one of {@link #protocols}
     * @return the count
     */
    public double failedHandshakes(String protocol) {
        return server.figure("failed-authentication-total", protocol);
    }

    /**
     * The log directories as they are configured.
     *
     * @return a list that never changes
     */
    public List<String> directories() {
        return directories.all().stream().map(LogDirectory::path).toList();
    }

    /**
     * Whether a log directory failed.
     *
     * @param directory one of {@link #directories}
     * @return true from its failure on
     */
    public boolean isOffline(String directory) {
        return directories.find(directory).map(LogDirectory::isOffline).orElse(false);
    }

    /**
     * How many log directories failed.
     *
     * @return the count
     */
    public int offlineDirectories() {
        return directories.failures().offline().size();
    }

    /**
     * How much the logs in a directory hold.
     *
     * @param directory one of {@link #directories}
     * @return bytes, of the logs that are online
     */
    public long logBytes(String directory) {
        return partitions()
                .filter(partition -> partition.directory() != null
                        && partition.directory().path().equals(directory))
                .mapToLong(Partition::sizeInBytes)
                .sum();
    }

    /**
     * How many topics there are.
     *
     * @return the count
     */
    public int topicCount() {
        return topics.all().size();
    }

    /**
     * How many partitions there are.
     *
     * @return the count, offline ones too
     */
    public long partitionCount() {
        return partitions().count();
    }

    /**
     * How many partitions can be neither read nor written.
     *
     * @return the count
     */
    public long offlinePartitionCount() {
        return partitions().filter(Partition::isOffline).count();
    }

    private Stream<Partition> partitions() {
        return topics.all().stream().flatMap(topic -> topic.partitions().stream());
    }

    /**
     * How many consumer groups there are.
     *
     * @return a count for each state by Kafka's name, 0 too
     */
    public Map<String, Integer> groups() {
        return groups.countByState();
    }
}
