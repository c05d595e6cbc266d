package io.faultline.broker.network;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.kafka.common.network.Send;

/**
 * One request as it came off the wire, with the way back to its connection. Exactly one of the three answers is given,
 * once, from any thread; the connection reads no further request before.
 */
public final class ReceivedRequest {

    private final Origin origin;
    private final Consumer<Answer> answers;
    private final ByteBuffer payload;
    private final long receivedNanos = System.nanoTime();

    /**
     * Makes a request.
     *
     * @param origin where it came from
     * @param answers takes the answer
     * @param payload header and body
     */
    ReceivedRequest(Origin origin, Consumer<Answer> answers, ByteBuffer payload) {
        this.origin = origin;
        this.answers = answers;
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
     * Where the request came from.
     *
     * @return its listener and its client, never null
     */
    public Origin origin() {
        return origin;
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
        answers.accept(new Answer(origin.connectionId(), response, false));
    }

    /** Answers with nothing: the client does not wait for a response. */
    public void respondNothing() {
        answers.accept(new Answer(origin.connectionId(), null, false));
    }

    /** Answers by closing the connection. */
    public void closeConnection() {
        answers.accept(new Answer(origin.connectionId(), null, true));
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
