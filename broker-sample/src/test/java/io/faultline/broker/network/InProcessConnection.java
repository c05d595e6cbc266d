package io.faultline.broker.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/** A connection without a network: requests go straight to what takes them, and responses come back as bytes. */
public final class InProcessConnection {

    private static final Origin ORIGIN =
            new Origin(new Listener(SecurityProtocol.PLAINTEXT, "127.0.0.1", 9092), "in-process", "127.0.0.1");

    private final Consumer<ReceivedRequest> requests;
    private final BlockingQueue<ReceivedRequest.Answer> answers = new ArrayBlockingQueue<>(2);

    /**
     * Makes a connection.
     *
     * @param requests takes the requests
     */
    public InProcessConnection(Consumer<ReceivedRequest> requests) {
        this.requests = requests;
    }

    /** How a request was answered. */
    public enum Kind {
        /** With a response. */
        RESPONSE,
        /** With nothing, and the connection goes on. */
        NOTHING,
        /** By closing the connection. */
        CLOSED,
        /** Not yet. */
        WAITING
    }

    /**
     * An answer.
     *
     * @param kind its kind
     * @param response the response with its size before it, or null
     */
    public record Answer(Kind kind, ByteBuffer response) {}

    /**
     * Sends a request and waits for its answer.
     *
     * @param request header and body
     * @param patienceMs how long to wait, in milliseconds
     * @return the answer, or that there is none yet
     * @throws InterruptedException if interrupted
     */
    public Answer exchange(ByteBuffer request, long patienceMs) throws InterruptedException {
        requests.accept(new ReceivedRequest(ORIGIN, answers::add, request));
        ReceivedRequest.Answer answer = answers.poll(patienceMs, TimeUnit.MILLISECONDS);
        if (answer == null) {
            return new Answer(Kind.WAITING, null);
        }
        if (answer.response() == null) {
            return new Answer(answer.close() ? Kind.CLOSED : Kind.NOTHING, null);
        }
        return new Answer(Kind.RESPONSE, bytes(answer.response()));
    }

    private static ByteBuffer bytes(Send send) {
        CollectingChannel channel = new CollectingChannel();
        try {
            while (!send.completed()) {
                send.writeTo(channel);
            }
        } catch (IOException unexpected) {
            throw new UncheckedIOException(unexpected);
        }
        return channel.bytes();
    }
}
