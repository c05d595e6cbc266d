package io.faultline.client.network;

import io.faultline.client.watchdog.Watchdog;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A request and who waits for its response. It ends exactly once, on the loop: with the response, or with a
 * {@link CallFailure}, at the latest when its time is up, whether it has been sent by then or not.
 *
 * @param api its API
 * @param lowest the oldest version that will do
 * @param highest the newest version that will do
 * @param body makes the content for the version that was agreed on
 * @param expectsResponse false for a Produce with {@code acks=0}, which ends when it is written
 * @param timeout how long it may take from being handed over to its response
 * @param watchdog the name of that wait
 * @param handler who waits
 */
public record Call(
        ApiKeys api,
        short lowest,
        short highest,
        Body body,
        boolean expectsResponse,
        Duration timeout,
        Watchdog watchdog,
        Handler<? extends ApiMessage> handler) {

    /** Makes the content of a request. */
    @FunctionalInterface
    public interface Body {

        /**
         * Makes the content.
         *
         * @param version the version of the API
         * @return the content
         */
        ApiMessage of(short version);
    }

    /**
     * Waits for a response, on the loop.
     *
     * @param <R> the content of the response
     */
    public interface Handler<R extends ApiMessage> {

        /**
         * Makes room for the response, which begins to come in. Fresh room each time, unless somebody has a better idea.
         *
         * @param bytes how long it is
         * @return an empty buffer with that limit; the response's content may go on referring to it
         */
        default ByteBuffer roomFor(int bytes) {
            return ByteBuffer.allocate(bytes);
        }

        /**
         * Takes the response.
         *
         * @param response its content; null if none was expected, and the request has been written
         * @param version the version of request and response
         */
        void onResponse(R response, short version);

        /**
         * Hears that there will be no response.
         *
         * @param failure why
         */
        void onFailure(CallFailure failure);

        /** Nothing reads the request's bytes any more; comes before or after its end, but always. */
        default void onReleased() {
            // Of interest only to those whose bytes lie in a pool or a file.
        }
    }

    /**
     * A request in any version that both sides have, under the request watchdog.
     *
     * @param api its API
     * @param body makes the content
     * @param timeout how long it may take
     * @param handler who waits
     * @return the call
     */
    public static Call of(ApiKeys api, Body body, Duration timeout, Handler<? extends ApiMessage> handler) {
        return new Call(api, api.oldestVersion(), api.latestVersion(), body, true, timeout, Watchdog.REQUEST, handler);
    }

    /**
     * The same request under another watchdog.
     *
     * @param name the name of the wait
     * @return the call
     */
    public Call under(Watchdog name) {
        return new Call(api, lowest, highest, body, expectsResponse, timeout, name, handler);
    }

    /**
     * The same request in certain versions only.
     *
     * @param from the oldest
     * @param to the newest
     * @return the call
     */
    public Call between(int from, int to) {
        return new Call(api, (short) from, (short) to, body, expectsResponse, timeout, watchdog, handler);
    }

    /**
     * The same request with no response to come.
     *
     * @return the call
     */
    public Call withoutResponse() {
        return new Call(api, lowest, highest, body, false, timeout, watchdog, handler);
    }
}
