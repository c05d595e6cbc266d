package io.faultline.broker;

import io.faultline.broker.log.Log;
import io.faultline.broker.log.LogDirFailure;
import io.faultline.broker.log.LogDirectory;
import io.faultline.broker.log.Partition;
import io.faultline.broker.log.Topics;
import io.faultline.broker.network.Listener;
import io.faultline.broker.tls.GeneratedTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * A broker in this JVM, on free ports of the loopback.
 *
 * <p>Example:
 *
 * <pre>{@code
 * try (EmbeddedBroker broker = EmbeddedBroker.builder().temporaryDirectories(2).tls().start()) {
 *     produceTo(broker.bootstrapServers());
 * }
 * }</pre>
 *
 * <p>When its last log directory fails it stops serving, and {@link #lastDirectoryLost} completes. It may be closed from any
 * thread, once or more often; temporary directories and certificates are deleted then, given directories stay.
 */
public final class EmbeddedBroker implements AutoCloseable {

    private final Broker broker;
    private final List<Path> directories;
    private final GeneratedTls tls;
    private final Path scratch;
    private final CompletableFuture<LogDirFailure> lastDirectoryLost = new CompletableFuture<>();
    private boolean closed;

    private EmbeddedBroker(Broker broker, List<Path> directories, GeneratedTls tls, Path scratch) {
        this.broker = broker;
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
     * @return completes with the last failure; never exceptionally
     */
    public CompletableFuture<LogDirFailure> lastDirectoryLost() {
        return lastDirectoryLost.copy();
    }

    private void start() throws IOException {
        broker.start();
        broker.lastDirectoryLost().thenAccept(failure -> {
            // On a thread of its own: closing waits for the failure handler, whose thread this is.
            Thread stop = new Thread(
                    () -> {
                        closeBroker();
                        lastDirectoryLost.complete(failure);
                    },
                    "faultline-broker-stop");
            stop.setDaemon(true);
            stop.start();
        });
    }

    private synchronized void closeBroker() {
        if (!closed) {
            closed = true;
            broker.close();
        }
    }

    /** Stops the broker, and deletes what was temporary. */
    @Override
    public void close() {
        closeBroker();
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
                all.putAll(certificates.serverProperties());
            }
            all.put("listeners", String.join(",", listeners));
            all.put("log.dirs", logDirs.stream().map(Path::toString).collect(Collectors.joining(",")));
            all.putAll(properties);
            EmbeddedBroker embedded =
                    new EmbeddedBroker(new Broker(BrokerConfig.of(all)), logDirs, certificates, scratch);
            embedded.start();
            return embedded;
        }
    }
}
