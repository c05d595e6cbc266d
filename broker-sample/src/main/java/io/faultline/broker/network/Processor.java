package io.faultline.broker.network;

import io.faultline.broker.network.ReceivedRequest.Answer;
import java.io.IOException;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
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
 * <p>Only {@link #accept}, {@link #answer} and {@link #stop} may be called from other threads.
 */
final class Processor implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Processor.class);
    private static final long POLL_MS = 300;

    private final int index;
    private final Listener listener;
    private final Selector selector;
    private final Consumer<ReceivedRequest> requests;
    private final Queue<SocketChannel> accepted = new ConcurrentLinkedQueue<>();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private volatile boolean running = true;
    private long connections;

    Processor(int index, Listener listener, Selector selector, Consumer<ReceivedRequest> requests) {
        this.index = index;
        this.listener = listener;
        this.selector = selector;
        this.requests = requests;
    }

    Listener listener() {
        return listener;
    }

    /** Takes over a connection. */
    void accept(SocketChannel connection) {
        accepted.add(connection);
        selector.wakeup();
        if (!running) {
            closeAccepted();
        }
    }

    /** Takes the answer to a request. */
    void answer(Answer answer) {
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
            selector.poll(POLL_MS);
            takeReceives();
            unmuteSent();
        } catch (IOException | RuntimeException unexpected) {
            LOG.error("Network thread {} of {} goes on after", index, listener, unexpected);
        }
    }

    private void registerAccepted() {
        for (SocketChannel connection = accepted.poll(); connection != null; connection = accepted.poll()) {
            try {
                selector.register(connectionId(connection.socket()), connection);
            } catch (IOException | RuntimeException failure) {
                LOG.warn("Connection {} refused: {}", connection, failure.toString());
                close(connection);
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
            if (answer.response() != null) {
                // A connection that is closing still gets what is in flight; one that has gone gets nothing.
                if (selector.channel(id) != null || selector.closingChannel(id) != null) {
                    selector.send(new NetworkSend(id, answer.response()));
                }
            } else if (answer.close()) {
                selector.close(id);
            } else {
                unmute(id);
            }
        }
    }

    private void takeReceives() {
        for (NetworkReceive receive : selector.completedReceives()) {
            String id = receive.source();
            KafkaChannel channel = selector.channel(id);
            if (channel != null) {
                selector.mute(id);
                channel.handleChannelMuteEvent(ChannelMuteEvent.REQUEST_RECEIVED);
                String host = channel.socketAddress().getHostAddress();
                requests.accept(new ReceivedRequest(this, id, host, receive.payload()));
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

    private void closeAccepted() {
        for (SocketChannel connection = accepted.poll(); connection != null; connection = accepted.poll()) {
            close(connection);
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
