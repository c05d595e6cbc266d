package io.faultline.broker.network;

import io.faultline.broker.network.ReceivedRequest.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.apache.kafka.common.network.ChannelState;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.network.KafkaChannel.ChannelMuteEvent;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.Selector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A network thread: it owns some of a listener's connections, reads their requests and sends their responses.
 *
 * <p>Only {@link #accept} and {@link #stop} may be called from other threads, and answers come from them.
 */
final class Processor implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Processor.class);
    private static final long POLL_MS = 300;

    private final int index;
    private final Listener listener;
    private final Selector selector;
    private final RequestMemory memory;
    private final ConnectionLimits limits;
    private final Consumer<ReceivedRequest> requests;
    private final RateLimitedLog log = new RateLimitedLog(LOG);
    private final Queue<SocketChannel> accepted = new ConcurrentLinkedQueue<>();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final Map<String, InetAddress> addresses = new HashMap<>();
    /** What the requests that are not answered yet took of the memory. */
    private final Map<String, Long> taken = new HashMap<>();
    /** Connections that are muted until there is memory for the rest of their requests. */
    private final Set<String> starved = new HashSet<>();

    private volatile boolean running = true;
    private long connections;
    private long refusalsSeen;

    Processor(
            int index,
            Listener listener,
            Selector selector,
            RequestMemory memory,
            ConnectionLimits limits,
            Consumer<ReceivedRequest> requests) {
        this.index = index;
        this.listener = listener;
        this.selector = selector;
        this.memory = memory;
        this.limits = limits;
        this.requests = requests;
    }

    Listener listener() {
        return listener;
    }

    /** Takes over a connection, which was counted. */
    void accept(SocketChannel connection) {
        accepted.add(connection);
        selector.wakeup();
        if (!running) {
            closeAccepted();
        }
    }

    /** Takes the answer to a request. */
    private void answer(Answer answer) {
        answers.add(answer);
        selector.wakeup();
    }

    /** Ends the thread and closes its connections. */
    void stop() {
        running = false;
        selector.wakeup();
    }

    @Override
    public void run() {
        try {
            while (running) {
                turn();
            }
        } finally {
            closeAccepted();
            selector.close();
        }
    }

    /** No failure of one connection may end the thread of all others. */
    private void turn() {
        try {
            registerAccepted();
            sendAnswers();
            feedStarved();
            selector.poll(POLL_MS);
            takeReceives();
            unmuteSent();
            forgetDisconnected();
            findStarved();
        } catch (IOException | RuntimeException unexpected) {
            LOG.error("Network thread {} of {} goes on after", index, listener, unexpected);
        }
    }

    private void registerAccepted() {
        for (SocketChannel connection = accepted.poll(); connection != null; connection = accepted.poll()) {
            InetAddress address = connection.socket().getInetAddress();
            try {
                String id = connectionId(connection.socket());
                selector.register(id, connection);
                addresses.put(id, address);
            } catch (IOException | RuntimeException failure) {
                log.warn("Connection {} refused: {}", connection, failure.toString());
                close(connection);
                limits.closed(address);
            }
        }
    }

    /** As Kafka spells it: both addresses, so that a log line can be matched to a client's. */
    private String connectionId(Socket socket) {
        return socket.getLocalAddress().getHostAddress() + ":" + socket.getLocalPort() + "-"
                + socket.getInetAddress().getHostAddress() + ":" + socket.getPort() + "-" + index + "-"
                + connections++;
    }

    private void sendAnswers() {
        for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
            String id = answer.connectionId();
            Long bytes = taken.remove(id);
            if (bytes != null) {
                memory.answered(bytes);
            }
            if (answer.response() != null) {
                // A connection that is closing still gets what is in flight; one that has gone gets nothing.
                if (selector.channel(id) != null || selector.closingChannel(id) != null) {
                    selector.send(new NetworkSend(id, answer.response()));
                }
            } else if (answer.close()) {
                close(id);
            } else {
                unmute(id);
            }
        }
    }

    private void takeReceives() {
        for (NetworkReceive receive : selector.completedReceives()) {
            String id = receive.source();
            long bytes = ((GrowingReceive) receive).taken();
            KafkaChannel channel = selector.channel(id);
            if (channel == null) {
                memory.answered(bytes);
            } else {
                taken.put(id, bytes);
                selector.mute(id);
                channel.handleChannelMuteEvent(ChannelMuteEvent.REQUEST_RECEIVED);
                String host = channel.socketAddress().getHostAddress();
                requests.accept(new ReceivedRequest(new Origin(listener, id, host), this::answer, receive.payload()));
            }
        }
        selector.clearCompletedReceives();
    }

    private void unmuteSent() {
        for (NetworkSend sent : selector.completedSends()) {
            unmute(sent.destinationId());
        }
        selector.clearCompletedSends();
    }

    private void unmute(String id) {
        KafkaChannel channel = selector.channel(id);
        if (channel != null) {
            channel.handleChannelMuteEvent(ChannelMuteEvent.RESPONSE_SENT);
            selector.unmute(id);
        }
    }

    private void forgetDisconnected() {
        selector.disconnected().forEach((id, state) -> {
            forget(id);
            if (state.state() == ChannelState.State.AUTHENTICATION_FAILED) {
                log.warn("Refused {}: {}", id, describe(state.exception()));
            }
        });
    }

    /** The cause says what is wrong with a certificate; the exception itself only that the handshake failed. */
    private static String describe(Throwable refusal) {
        return refusal.getCause() == null ? refusal.getMessage() : refusal.getMessage() + ": " + refusal.getCause();
    }

    private void forget(String id) {
        starved.remove(id);
        InetAddress address = addresses.remove(id);
        if (address != null) {
            limits.closed(address);
        }
    }

    private void close(String id) {
        selector.close(id);
        forget(id);
    }

    /** A connection that has no memory for the rest of its request would be found readable again and again. */
    private void findStarved() {
        long refusals = memory.refusals();
        if (refusals == refusalsSeen) {
            return;
        }
        refusalsSeen = refusals;
        for (KafkaChannel channel : selector.channels()) {
            if (channel instanceof BoundedChannel bounded
                    && bounded.currentReceive() != null
                    && bounded.currentReceive().isStarved()
                    && starved.add(channel.id())) {
                selector.mute(channel.id());
            }
        }
    }

    /**
     * Lets starved connections try again. Where it is not requests that are served which take the memory, but others that
     * come in as slowly, the one that began first is closed: it would not end by itself.
     */
    private void feedStarved() {
        if (starved.isEmpty()) {
            return;
        }
        if (!memory.isTakenByWhole()) {
            selector.channels().stream()
                    .map(BoundedChannel.class::cast)
                    .filter(channel -> channel.currentReceive() != null
                            && channel.currentReceive().taken() > 0)
                    .min(Comparator.comparingLong(
                            channel -> channel.currentReceive().beganNanos()))
                    .ifPresent(this::sacrifice);
        }
        starved.forEach(selector::unmute);
        starved.clear();
    }

    private void sacrifice(BoundedChannel slowest) {
        log.warn(
                "Closing {}: there is no more memory for requests (queued.max.request.bytes), and its own of {} bytes is the"
                        + " one that comes in for longest",
                slowest.id(),
                slowest.currentReceive().size());
        close(slowest.id());
    }

    private void closeAccepted() {
        for (SocketChannel connection = accepted.poll(); connection != null; connection = accepted.poll()) {
            close(connection);
            limits.closed(connection.socket().getInetAddress());
        }
    }

    private static void close(SocketChannel connection) {
        try {
            connection.close();
        } catch (IOException ignored) {
            // It was never served; there is nothing to lose.
        }
    }
}
