package io.faultline.broker.network;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.kafka.common.network.Send;

/**
 * One request as it came off the wire, with the way back to its connection. Exactly one of the three answers is given,
 * once, from any thread; the connection reads no further request before.
 */
public final class ReceivedRequest {

    private final Listener listener;
    private final Consumer<Answer> answers;
    private final String connectionId;
    private final String clientHost;
    private final ByteBuffer payload;
    private final long receivedNanos = System.nanoTime();

    /**
     * Makes a request.
     *
     * @param listener the listener that it came in through, as it is advertised
     * @param answers takes the answer
     * @param connectionId the connection, for the answer and for logs
     * @param clientHost the client's address
     * @param payload header and body
     */
    ReceivedRequest(
            Listener listener, Consumer<Answer> answers, String connectionId, String clientHost, ByteBuffer payload) {
        this.listener = listener;
        this.answers = answers;
        this.connectionId = connectionId;
        this.clientHost = clientHost;
        this.payload = payload;
    }

    /**
     * Header and body of the request, without the size before it.
     *
     * @return the buffer, whose position the reader moves
     */
    public ByteBuffer payload() {
        return payload;
    }

    /**
     * The listener that the request came in through.
     *
     * @return the listener as it is advertised, never null
     */
    public Listener listener() {
        return listener;
    }

    /**
     * Where the client connects from.
     *
     * @return the address, as text
     */
    public String clientHost() {
        return clientHost;
    }

    /**
     * The connection, for logs.
     *
     * @return addresses and ports of both sides
     */
    public String connectionId() {
        return connectionId;
    }

    /**
     * When the request was read in full.
     *
     * @return on the scale of {@link System#nanoTime}
     */
    public long receivedNanos() {
        return receivedNanos;
    }

    /**
     * Answers with a response.
     *
     * @param response the response, with its size before it
     */
    public void respond(Send response) {
        answers.accept(new Answer(connectionId, response, false));
    }

    /** Answers with nothing: the client does not wait for a response. */
    public void respondNothing() {
        answers.accept(new Answer(connectionId, null, false));
    }

    /** Answers by closing the connection. */
    public void closeConnection() {
        answers.accept(new Answer(connectionId, null, true));
    }

    /**
     * What a processor does next with a muted connection.
     *
     * @param connectionId the connection
     * @param response what to send, or null
     * @param close whether to close the connection
     */
    record Answer(String connectionId, Send response, boolean close) {}
}
