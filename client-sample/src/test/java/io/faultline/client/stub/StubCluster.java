package io.faultline.client.stub;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.awaitility.Awaitility;

/**
 * Some stub brokers and the view of the world that they give: topics, leaders, the coordinator of all groups. A test changes the view and the {@link Script} while clients are
 * connected. Its methods may be called from any thread.
 */
public final class StubCluster implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A topic: its id and partitions. */
    record Topic(Uuid id, List<StubPartition> partitions) {}

    private final Script script = new Script();
    private final List<StubRequest> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final Map<Integer, StubNode> nodes = new TreeMap<>();
    private final Map<String, Topic> topics = new TreeMap<>();
    private final StubGroup group = new StubGroup();
    private final UsualAnswers usual = new UsualAnswers(this);
    private volatile int coordinator = 1;
    private volatile String clusterId = "stub-cluster";

    private StubCluster(int count, SSLContext tls) throws IOException {
        for (int id = 1; id <= count; id++) {
            nodes.put(id, new StubNode(this, id, tls));
        }
    }

    /**
     * Starts brokers that speak plaintext.
     *
     * @param nodes how many, numbered from 1 on
     * @return the cluster, without topics
     * @throws IOException if there is no free port
     */
    public static StubCluster plaintext(int nodes) throws IOException {
        return new StubCluster(nodes, null);
    }

    /**
     * Starts brokers that speak TLS.
     *
     * @param nodes how many, numbered from 1 on
     * @param tls with their certificate and key
     * @return the cluster, without topics
     * @throws IOException if there is no free port
     */
    public static StubCluster tls(int nodes, SSLContext tls) throws IOException {
        return new StubCluster(nodes, tls);
    }

    /**
     * Makes a topic.
     *
     * @param name its name
     * @param leaders who leads each partition, the first partition's first; -1 for nobody
     * @return this
     */
    public StubCluster topic(String name, int... leaders) {
        List<StubPartition> partitions = new ArrayList<>();
        for (int leader : leaders) {
            partitions.add(new StubPartition(leader));
        }
        synchronized (topics) {
            topics.put(name, new Topic(Uuid.randomUuid(), partitions));
        }
        return this;
    }

    /**
     * Deletes a topic.
     *
     * @param name its name
     */
    public void deleteTopic(String name) {
        synchronized (topics) {
            topics.remove(name);
        }
    }

    /**
     * Lets another broker lead a partition.
     *
     * @param topic its topic
     * @param partition its number
     * @param leader who leads it from now on, -1 for nobody
     */
    public void lead(String topic, int partition, int leader) {
        partition(topic, partition).lead(leader);
    }

    /**
     * Lets another broker coordinate every group.
     *
     * @param node which, -1 for none
     */
    public void coordinate(int node) {
        coordinator = node;
    }

    /**
     * Makes the brokers of another cluster of them.
     *
     * @param id what they say from now on
     */
    public void clusterId(String id) {
        clusterId = id;
    }

    /**
     * What they do otherwise than usual.
     *
     * @return the script, to which rules may be added
     */
    public Script script() {
        return script;
    }

    /**
     * A broker.
     *
     * @param id from 1 on
     * @return the broker
     */
    public StubNode node(int id) {
        return nodes.get(id);
    }

    /**
     * Where clients connect.
     *
     * @return all brokers, as {@code bootstrap.servers}
     */
    public String bootstrap() {
        return nodes.values().stream().map(StubNode::address).collect(Collectors.joining(","));
    }

    /**
     * A partition.
     *
     * @param topic its topic
     * @param partition its number
     * @return what the cluster has of it
     */
    public StubPartition partition(String topic, int partition) {
        synchronized (topics) {
            return topics.get(topic).partitions().get(partition);
        }
    }

    /**
     * The group.
     *
     * @return what its coordinator knows
     */
    public StubGroup group() {
        return group;
    }

    /**
     * The requests that came.
     *
     * @return all of them, in the order in which they were read
     */
    public List<StubRequest> requests() {
        return List.copyOf(requests);
    }

    /**
     * The requests of one kind that came.
     *
     * @param api which kind
     * @return in the order in which they were read
     */
    public List<StubRequest> requests(ApiKeys api) {
        return requests.stream().filter(request -> request.api() == api).toList();
    }

    /**
     * Waits for requests.
     *
     * @param api which kind
     * @param count how many have to have come since the beginning
     * @return the last one of them
     */
    public StubRequest await(ApiKeys api, int count) {
        Awaitility.await(count + " " + api + " requests")
                .atMost(PATIENCE)
                .until(() -> requests(api).size() >= count);
        return requests(api).get(count - 1);
    }

    /**
     * How many connections there are.
     *
     * @return the open ones, to all brokers
     */
    public int openConnections() {
        return nodes.values().stream().mapToInt(StubNode::connections).sum();
    }

    /**
     * Says whether a connection is open.
     *
     * @param connection its number, counted over all brokers from 1 on in the order in which they were taken
     * @return false if either side has closed it
     */
    public boolean isOpen(int connection) {
        return nodes.values().stream().anyMatch(node -> node.isOpen(connection));
    }

    int nextConnection() {
        return connections.incrementAndGet();
    }

    void note(StubRequest request) {
        requests.add(request);
    }

    ApiMessage usual(StubRequest request) {
        return usual.to(request);
    }

    Map<Integer, StubNode> nodes() {
        return nodes;
    }

    Map<String, Topic> topics() {
        synchronized (topics) {
            return new TreeMap<>(topics);
        }
    }

    /** The partition of a request that names its topic or gives its id, or null if there is none. */
    StubPartition find(String name, Uuid id, int partition) {
        return topics().entrySet().stream()
                .filter(topic ->
                        topic.getKey().equals(name) || topic.getValue().id().equals(id))
                .map(topic -> topic.getValue().partitions())
                .filter(partitions -> partition < partitions.size())
                .map(partitions -> partitions.get(partition))
                .findFirst()
                .orElse(null);
    }

    int coordinator() {
        return coordinator;
    }

    String clusterId() {
        return clusterId;
    }

    /**
     * How far a group is.
     *
     * @param topic of a partition
     * @param partition its number
     * @return the committed offset, or -1 for none
     */
    public long committed(String topic, int partition) {
        return group.committed(new TopicPartition(topic, partition));
    }

    @Override
    public void close() throws IOException {
        for (StubNode node : nodes.values()) {
            node.stop();
        }
    }
}
