package io.faultline.client.stub;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.protocol.ApiMessage;

/** What a stub broker does with a request. */
public sealed interface Reply {

    /** It answers as a broker that is well. */
    record Usual() implements Reply {}

    /**
     * It does what it is asked and answers with something else.
     *
     * @param change makes the answer of what would have been the usual one
     */
    record Changed(UnaryOperator<ApiMessage> change) implements Reply {}

    /**
     * It answers this, and does nothing.
     *
     * @param body the answer
     */
    record Answer(ApiMessage body) implements Reply {}

    /**
     * It waits, and so does everything behind the request on its connection, until the gate is opened or the connection closed. Then it does what it is asked and answers.
     *
     * @param gate completed by the test
     */
    record Hold(CompletableFuture<Void> gate) implements Reply {}

    /** It does what it is asked; neither this nor a later answer ever leaves on this connection. */
    record Swallow() implements Reply {}

    /**
     * It closes the connection, and does what it was asked when the gate is opened, as a broker that was frozen and thaws.
     *
     * @param gate completed by the test
     */
    record DoLate(CompletableFuture<Void> gate) implements Reply {}

    /** It closes the connection, nothing done. */
    record Close() implements Reply {}

    /** It does what it is asked, and closes the connection instead of answering. */
    record DoAndClose() implements Reply {}

    /** It resets the connection, nothing done. */
    record Reset() implements Reply {}

    /**
     * It sends these bytes, with no frame around them.
     *
     * @param bytes what to send
     */
    record Garbage(byte[] bytes) implements Reply {}

    /** It sends the usual answer without its second half, and closes the connection. */
    record Truncated() implements Reply {}

    /** It answers as to another request. */
    record WrongCorrelationId() implements Reply {}

    /** The answer of a broker that is well. */
    Reply USUAL = new Usual();

    /** Silence for good. */
    Reply SILENCE = new Hold(new CompletableFuture<>());

    /**
     * An answer in which something is changed.
     *
     * @param type the class of the answer
     * @param change changes it
     * @param <T> the class of the answer
     * @return the reply
     */
    static <T extends ApiMessage> Reply changed(Class<T> type, Consumer<T> change) {
        return new Changed(usual -> {
            change.accept(type.cast(usual));
            return usual;
        });
    }
}
