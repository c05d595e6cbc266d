package io.faultline.broker.fuzz;

import io.faultline.broker.api.RequestDispatcher;
import io.faultline.broker.network.InProcessConnection;
import io.faultline.broker.network.InProcessConnection.Answer;
import io.faultline.broker.network.InProcessConnection.Kind;
import java.nio.ByteBuffer;

/** Straight to the dispatcher. */
final class DispatcherExchange implements Exchange {

    private final RequestDispatcher dispatcher;

    DispatcherExchange(RequestDispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    @Override
    public ByteBuffer send(ByteBuffer request, Expectation expected) throws InterruptedException {
        InProcessConnection connection = new InProcessConnection(dispatcher::dispatch);
        Answer answer = connection.exchange(request.duplicate(), expected.mayWait() ? SHORT_PATIENCE_MS : PATIENCE_MS);
        boolean right = switch (answer.kind()) {
            case RESPONSE -> expected.answered();
            case CLOSED -> !expected.answered();
            case NOTHING -> expected.pair() != null && !expected.answered();
            case WAITING -> expected.mayWait();
        };
        if (!right) {
            throw new Finding(answer.kind() + " to " + expected);
        }
        if (answer.kind() != Kind.RESPONSE) {
            return null;
        }
        ByteBuffer response = answer.response();
        int size = response.getInt();
        if (size != response.remaining()) {
            throw new Finding("a response of " + response.remaining() + " bytes claims " + size + ": " + expected);
        }
        return response;
    }

    @Override
    public void close() {
        // There is no connection to close.
    }
}
