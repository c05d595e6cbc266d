package io.faultline.broker.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ChannelBuilder;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.utils.Time;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The broker's listeners. Start and stop it from one thread. */
public final class SocketServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SocketServer.class);
    private static final long PATIENCE_MS = TimeUnit.SECONDS.toMillis(5);

    private final NetworkConfig config;
    private final String threadPrefix;
    private final RequestMemory memory;
    private final ConnectionLimits limits;
    private final Metrics metrics = new Metrics(Time.SYSTEM);
    private final List<ServerSocketChannel> sockets = new ArrayList<>();
    private final List<Processor> processors = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Runnable> starts = new ArrayList<>();

    /**
     * Makes a server that listens to nothing yet.
     *
     * @param config how connections are served
     * @param threadPrefix what the names of its threads begin with
     */
    public SocketServer(NetworkConfig config, String threadPrefix) {
        this.config = config;
        this.threadPrefix = threadPrefix;
        this.memory = new RequestMemory(config.maxQueuedRequestBytes());
        this.limits = new ConnectionLimits(
                config.maxConnections(), config.maxConnectionsPerIp(), config.maxConnectionsPerSecond());
    }

    /**
     * Opens a listener's socket. Connections wait until {@link #start}.
     *
     * @param listener where to listen
     * @param advertise from the listener with the port it got, the one that clients are told
     * @param requests takes each request; called on network threads, must return at once
     * @return the advertised listener
     * @throws IOException if the address cannot be had
     */
    public Listener bind(Listener listener, UnaryOperator<Listener> advertise, Consumer<ReceivedRequest> requests)
            throws IOException {
        ServerSocketChannel socket = ServerSocketChannel.open();
        sockets.add(socket);
        if (config.receiveBufferBytes() > 0) {
            socket.setOption(StandardSocketOptions.SO_RCVBUF, config.receiveBufferBytes());
        }
        try {
            socket.bind(
                    listener.host().isEmpty()
                            ? new InetSocketAddress(listener.port())
                            : new InetSocketAddress(listener.host(), listener.port()),
                    config.backlog());
        } catch (IOException | RuntimeException failure) {
            throw new IOException("cannot listen on " + listener + ": " + failure.getMessage(), failure);
        }
        int port = ((InetSocketAddress) socket.getLocalAddress()).getPort();
        Listener advertised = advertise.apply(new Listener(listener.protocol(), listener.host(), port));

        ChannelBuilder channels = channels(advertised);
        List<Processor> own = new ArrayList<>();
        for (int thread = 0; thread < config.threads(); thread++) {
            int index = processors.size();
            Processor processor =
                    new Processor(index, advertised, selector(advertised, index, channels), memory, limits, requests);
            processors.add(processor);
            own.add(processor);
            prepare("network-" + listener.protocol() + "-" + thread, processor);
        }
        prepare("acceptor-" + listener.protocol(), new Acceptor(socket, config, limits, own));
        return advertised;
    }

    /** One for all processors of a listener: with TLS, each would read the keystore anew. */
    private ChannelBuilder channels(Listener listener) {
        ChannelBuilder channels = new BoundedChannels(listener.protocol(), memory);
        channels.configure(config.channelConfigs());
        return channels;
    }

    private Selector selector(Listener listener, int index, ChannelBuilder channels) {
        return new Selector(
                config.maxRequestBytes(),
                config.maxIdleMs(),
                metrics,
                Time.SYSTEM,
                "socket-server",
                Map.of("listener", listener.protocol().name, "networkProcessor", Integer.toString(index)),
                false,
                true,
                channels,
                MemoryPool.NONE,
                new OneLineLogContext("[" + listener.protocol() + " " + index + "] "));
    }

    /**
     * The protocols of the listeners that are bound.
     *
     * @return their names, in the order of the listeners
     */
    public List<String> protocols() {
        return processors.stream()
                .map(processor -> processor.listener().protocol().name)
                .distinct()
                .toList();
    }

    /**
     * One of the figures that Kafka's own network layer keeps for each network thread, such as {@code connection-count}.
     *
     * @param name the figure's name
     * @param protocol whose listener's network threads
     * @return their sum, 0 if there is no such figure
     */
    public double figure(String name, String protocol) {
        return metrics.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals(name)
                        && protocol.equals(metric.metricName().tags().get("listener")))
                .mapToDouble(metric -> (Double) metric.metricValue())
                .sum();
    }

    private void prepare(String name, Runnable loop) {
        Thread thread = new Thread(loop, threadPrefix + name);
        thread.setDaemon(true);
        threads.add(thread);
        starts.add(thread::start);
    }

    /** Starts to accept and serve. */
    public void start() {
        starts.forEach(Runnable::run);
        starts.clear();
    }

    /** Closes all listeners and connections and waits for the threads, at most a few seconds each. */
    @Override
    public void close() {
        for (ServerSocketChannel socket : sockets) {
            try {
                socket.close();
            } catch (IOException failure) {
                LOG.warn("Closing a listener failed: {}", failure.toString());
            }
        }
        processors.forEach(Processor::stop);
        // A processor that never ran has a selector to close all the same: its loop ends at once.
        start();
        for (Thread thread : threads) {
            try {
                thread.join(PATIENCE_MS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        metrics.close();
    }
}
