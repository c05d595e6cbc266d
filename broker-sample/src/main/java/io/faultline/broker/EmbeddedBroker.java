package io.faultline.broker;

import io.faultline.broker.log.Log;
import io.faultline.broker.log.LogDirFailure;
import io.faultline.broker.log.LogDirectory;
import io.faultline.broker.log.Partition;
import io.faultline.broker.log.Topics;
import io.faultline.broker.metrics.BrokerFigures;
import io.faultline.broker.metrics.TrafficCounts;
import io.faultline.broker.network.Listener;
import io.faultline.broker.tls.GeneratedTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * A broker in this JVM, on free ports of the loopback, for tests and small installations. There may be any number of them side by side.
 *
 * <p>A test of how a consumer fares when a log directory fails under it:
 *
 * <pre>{@code
 * try (EmbeddedBroker broker = EmbeddedBroker.builder()
 *         .temporaryDirectories(2)
 *         .topic("orders", 2)
 *         .start()) {
 *     String bootstrapServers = broker.bootstrapServers();
 *     // ... connect the client under test there, produce and consume ...
 *     broker.failDirectory(broker.directoryOf("orders", 0));
 *     // ... orders-0 is answered with KAFKA_STORAGE_ERROR and has no leader, orders-1 goes on ...
 *     broker.repairDirectory(broker.offlineDirectories().iterator().next());
 *     broker.restart();
 *     // ... same ports, same records: the client has to find back by itself ...
 * }
 * }</pre>
 *
 * <p>When its last log directory fails it stops serving, and {@link #lastDirectoryLost} completes. It may be used from any thread, and closed once or more often;
 * temporary directories and certificates are deleted then, given directories stay.
 */
public final class EmbeddedBroker implements AutoCloseable {

    private static final String LISTENERS = "listeners";

    private final Map<String, String> properties;
    private final Map<String, Integer> topicsUpFront;
    private final List<Path> directories;
    private final GeneratedTls tls;
    private final Path scratch;
    private final TrafficCounts traffic = new TrafficCounts();
    private final Set<Path> failed = new LinkedHashSet<>();
    private volatile Broker broker;
    private volatile CompletableFuture<LogDirFailure> lastDirectoryLost;
    private boolean running;
    private boolean closed;

    private EmbeddedBroker(
            Map<String, String> properties,
            Map<String, Integer> topicsUpFront,
            List<Path> directories,
            GeneratedTls tls,
            Path scratch) {
        this.properties = new LinkedHashMap<>(properties);
        this.topicsUpFront = Map.copyOf(topicsUpFront);
        this.directories = List.copyOf(directories);
        this.tls = tls;
        this.scratch = scratch;
    }

    /**
     * Describes a broker: unless said otherwise one temporary directory, PLAINTEXT only, node 1.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Where clients connect in plaintext.
     *
     * @return host and port, for {@code bootstrap.servers}
     * @throws IllegalStateException if the broker has no such listener
     */
    public String bootstrapServers() {
        return listener(SecurityProtocol.PLAINTEXT).hostAndPort();
    }

    /**
     * Where clients connect over TLS, with {@link #clientTlsProperties}.
     *
     * @return host and port, for {@code bootstrap.servers}
     * @throws IllegalStateException if the broker has no such listener
     */
    public String sslBootstrapServers() {
        return listener(SecurityProtocol.SSL).hostAndPort();
    }

    private Listener listener(SecurityProtocol protocol) {
        return broker.listeners().stream()
                .filter(listener -> listener.protocol() == protocol)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the broker has no " + protocol + " listener"));
    }

    /**
     * What a Java client needs to connect over TLS.
     *
     * @return Kafka's names and values, {@code security.protocol} among them
     * @throws IllegalStateException if the broker has no certificates of its own
     */
    public Map<String, String> clientTlsProperties() {
        return tls().clientProperties();
    }

    /**
     * The certificates that were made for this broker.
     *
     * @return the certificates
     * @throws IllegalStateException if there are none
     */
    public GeneratedTls tls() {
        if (tls == null) {
            throw new IllegalStateException("the broker was built without tls()");
        }
        return tls;
    }

    /**
     * The log directories.
     *
     * @return the directories in their order, offline ones too
     */
    public List<Path> directories() {
        return directories;
    }

    /**
     * The log directories that failed.
     *
     * @return a copy
     */
    public Set<Path> offlineDirectories() {
        return broker.directories().failures().offline().stream()
                .map(directory -> Path.of(directory.path()))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The log directory that a partition lies in.
     *
     * @param topic the topic
     * @param partition the index of the partition
     * @return one of {@link #directories}
     * @throws IllegalArgumentException if there is no such partition
     */
    public Path directoryOf(String topic, int partition) {
        LogDirectory directory = partition(topic, partition).directory();
        return Path.of(directory.path());
    }

    /**
     * The log of a partition, to roll, truncate or flush it.
     *
     * @param topic the topic
     * @param partition the index of the partition
     * @return the log
     * @throws IllegalArgumentException if there is no such partition
     * @throws org.apache.kafka.common.errors.KafkaStorageException if the partition is offline
     */
    public Log log(String topic, int partition) {
        return partition(topic, partition).log();
    }

    private Partition partition(String topic, int index) {
        return topics().byName(topic)
                .flatMap(known -> known.partition(index))
                .orElseThrow(() -> new IllegalArgumentException("no partition " + topic + "-" + index));
    }

    /**
     * The topics, to make or delete one without a client.
     *
     * @return the topics, never null
     */
    public Topics topics() {
        return broker.topics();
    }

    /**
     * Completes when the last log directory has failed and the broker has stopped serving.
     *
     * @return completes with the last failure; never exceptionally, and never for a broker that was restarted meanwhile
     */
    public CompletableFuture<LogDirFailure> lastDirectoryLost() {
        return lastDirectoryLost.copy();
    }

    /** The broker itself, for tests of this package. */
    Broker broker() {
        return broker;
    }

    /**
     * What the broker has and what went through it since it was first started, for {@link io.faultline.broker.metrics.BrokerMeters} and
     * {@link io.faultline.broker.metrics.KafkaMBeans}.
     *
     * @return the figures of the latest start
     */
    public BrokerFigures figures() {
        return broker.figures();
    }

    /**
     * Lets a log directory fail, as far as clients and the broker can tell: its partitions are offline, requests for them are answered with KAFKA_STORAGE_ERROR, Metadata
     * names no leader, DescribeLogDirs lists the directory with that error, the other directories go on, and the last one to fail stops the broker. It has happened when this
     * returns, and lasts until {@link #repairDirectory} and a restart, as with a disk that is replaced; a restart alone finds the directory failed again.
     *
     * <p>This is a rehearsal: nothing is wrong with the disk, the broker is told so as it would be of an I/O error that it met. What comes before that on a real disk is not
     * rehearsed, such as slow reads or part of a response that was sent. The broker's own tests, and {@code mvn verify -Pdemo}, do that on disks that really fail.
     *
     * @param directory one of {@link #directories}, such as {@link #directoryOf} a partition
     * @throws IllegalArgumentException if it is none of them
     */
    public synchronized void failDirectory(Path directory) {
        failed.add(known(directory));
        feed(broker, directory);
    }

    private static void feed(Broker broker, Path directory) {
        broker.directories()
                .find(directory.toString())
                .ifPresent(found -> broker.directories()
                        .failures()
                        .feed(found, "rehearsing a failure", new IOException("Input/output error (rehearsed)")));
    }

    /**
     * Ends the rehearsed failure of a directory. As a broker takes no directory back while it runs, the directory is online from the next {@link #restart} on, with the
     * records it had.
     *
     * @param directory one of {@link #directories}; nothing happens if it did not fail
     * @throws IllegalArgumentException if it is none of them
     */
    public synchronized void repairDirectory(Path directory) {
        failed.remove(known(directory));
    }

    private Path known(Path directory) {
        if (!directories.contains(directory)) {
            throw new IllegalArgumentException(directory + " is no log directory: accepted are " + directories);
        }
        return directory;
    }

    /**
     * Stops and starts the broker, on the same directories and ports. Clients that are connected see it go and come back.
     *
     * @throws IOException if another process took a port meanwhile
     * @throws IllegalStateException if the broker was closed, or no directory is left that did not fail
     */
    public synchronized void restart() throws IOException {
        stop();
        start();
    }

    /**
     * Starts the broker where it was stopped, or stopped by itself, on the same directories and ports. Does nothing while it runs.
     *
     * @throws IOException if another process took a port meanwhile
     * @throws IllegalStateException if the broker was closed, or no directory is left that did not fail
     */
    public synchronized void start() throws IOException {
        if (closed) {
            throw new IllegalStateException("the broker was closed, and its temporary directories are gone");
        }
        if (running) {
            return;
        }
        Broker next = new Broker(BrokerConfig.of(properties), traffic);
        failed.forEach(directory -> feed(next, directory));
        next.start();
        properties.put(LISTENERS, next.bound().stream().map(Listener::toString).collect(Collectors.joining(",")));
        CompletableFuture<LogDirFailure> lost = new CompletableFuture<>();
        lastDirectoryLost = lost;
        broker = next;
        running = true;
        next.lastDirectoryLost().thenAccept(failure -> {
            // On a thread of its own: closing waits for the failure handler, whose thread this is.
            Thread stop = new Thread(
                    () -> {
                        stop(next);
                        lost.complete(failure);
                    },
                    "faultline-broker-stop");
            stop.setDaemon(true);
            stop.start();
        });
        topicsUpFront.forEach((topic, partitions) -> {
            if (next.topics().byName(topic).isEmpty()) {
                next.topics().create(topic, partitions);
            }
        });
    }

    /** Stops the broker in an orderly way, as a broker that is shut down: its ports refuse connections until {@link #start}. Does nothing where it does not run. */
    public void stop() {
        stop(broker);
    }

    private synchronized void stop(Broker which) {
        if (running && which == broker) {
            running = false;
            which.close();
        }
    }

    /** Stops the broker for good, and deletes what was temporary. Where all of it was, nothing is flushed before. */
    @Override
    public synchronized void close() {
        closed = true;
        if (running && directories.stream().allMatch(directory -> directory.startsWith(scratch))) {
            running = false;
            broker.discard();
        }
        stop();
        deleteScratch(scratch);
    }

    private static void deleteScratch(Path scratch) {
        if (scratch == null) {
            return;
        }
        try (Stream<Path> walk = Files.walk(scratch)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException ignored) {
            // It lies in the system's temporary directory, which is cleaned by others.
        }
    }

    /** Describes a broker. Not safe for use by several threads. */
    public static final class Builder {

        private final Map<String, String> properties = new LinkedHashMap<>();
        private final Map<String, Integer> topics = new LinkedHashMap<>();
        private final List<Path> directories = new ArrayList<>();
        private int temporary;
        private boolean plaintext = true;
        private boolean tls;

        private Builder() {
            properties.put("num.network.threads", "1");
            properties.put("num.io.threads", "4");
            // Whoever embeds a broker starts the members of a group one after the other, and waits for the first.
            properties.put("group.initial.rebalance.delay.ms", "0");
        }

        /**
         * Keeps logs in these directories, which are made where they are missing and stay when the broker is closed.
         *
         * @param more the directories
         * @return this builder
         */
        public Builder directories(Path... more) {
            directories.addAll(Arrays.asList(more));
            return this;
        }

        /**
         * Keeps logs in so many temporary directories, behind those that are given.
         *
         * @param count how many
         * @return this builder
         */
        public Builder temporaryDirectories(int count) {
            temporary = count;
            return this;
        }

        /**
         * Listens for TLS, too, with certificates of its own.
         *
         * @return this builder
         */
        public Builder tls() {
            tls = true;
            return this;
        }

        /**
         * Listens for TLS only, with certificates of its own.
         *
         * @return this builder
         */
        public Builder tlsOnly() {
            plaintext = false;
            return tls();
        }

        /**
         * The id of the node.
         *
         * @param id at least 0
         * @return this builder
         */
        public Builder nodeId(int id) {
            return property("node.id", Integer.toString(id));
        }

        /**
         * The size at which a segment is rolled.
         *
         * @param bytes at least 1,024
         * @return this builder
         */
        public Builder segmentBytes(int bytes) {
            return property("log.segment.bytes", Integer.toString(bytes));
        }

        /**
         * How many partitions a topic has where nothing else is said.
         *
         * @param count at least 1
         * @return this builder
         */
        public Builder defaultPartitions(int count) {
            return property("num.partitions", Integer.toString(count));
        }

        /**
         * Has a topic made at the start, unless the directories hold one of that name.
         *
         * @param name a valid name
         * @param partitions how many partitions, at least 1; they are spread over the directories
         * @return this builder
         * @throws org.apache.kafka.common.errors.InvalidTopicException if the name is not valid
         * @throws IllegalArgumentException if there are fewer partitions
         */
        public Builder topic(String name, int partitions) {
            Topic.validate(name);
            if (partitions < 1) {
                throw new IllegalArgumentException(
                        "topic '" + name + "' with " + partitions + " partitions: accepted is at least 1");
            }
            topics.put(name, partitions);
            return this;
        }

        /**
         * Whether topics are made because a client asks about them; they are unless said otherwise.
         *
         * @param enabled whether
         * @return this builder
         */
        public Builder autoCreateTopics(boolean enabled) {
            return property("auto.create.topics.enable", Boolean.toString(enabled));
        }

        /**
         * Any other key of the broker's configuration.
         *
         * @param key Kafka's name
         * @param value its value
         * @return this builder
         */
        public Builder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        /**
         * Starts the broker.
         *
         * @return the broker, serving
         * @throws org.apache.kafka.common.config.ConfigException if a key or value is wrong
         * @throws IOException if a directory cannot be made or a port not be had
         */
        public EmbeddedBroker start() throws IOException {
            Path scratch = Files.createTempDirectory("faultline-broker-");
            try {
                return start(scratch);
            } catch (IOException | RuntimeException failure) {
                deleteScratch(scratch);
                throw failure;
            }
        }

        private EmbeddedBroker start(Path scratch) throws IOException {
            Map<String, String> all = new LinkedHashMap<>();
            List<Path> logDirs = new ArrayList<>(directories);
            int wanted = directories.isEmpty() ? Math.max(1, temporary) : temporary;
            for (int index = 0; index < wanted; index++) {
                logDirs.add(scratch.resolve("data" + index));
            }
            GeneratedTls certificates = null;
            List<String> listeners = new ArrayList<>();
            if (plaintext) {
                listeners.add("PLAINTEXT://127.0.0.1:0");
            }
            if (tls) {
                listeners.add("SSL://127.0.0.1:0");
                certificates = GeneratedTls.in(scratch.resolve("tls"));
            }
            all.put(LISTENERS, String.join(",", listeners));
            all.put("log.dirs", logDirs.stream().map(Path::toString).collect(Collectors.joining(",")));
            all.putAll(properties);
            if (certificates != null) {
                certificates.complete(all);
            }
            EmbeddedBroker embedded = new EmbeddedBroker(all, topics, logDirs, certificates, scratch);
            try {
                embedded.start();
                return embedded;
            } catch (IOException | RuntimeException failure) {
                embedded.close();
                throw failure;
            }
        }
    }
}
