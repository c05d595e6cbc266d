package io.faultline.client.network;

import io.faultline.client.network.CallFailure.Reason;
import io.faultline.client.protocol.ApiVersionTable;
import io.faultline.client.protocol.Codec;
import io.faultline.client.protocol.Frame;
import io.faultline.client.protocol.Response;
import io.faultline.client.protocol.WireException;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import io.faultline.client.watchdog.Watchdogs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * One connection to a peer, from its first SYN to its end.
 *
 * <p>TCP, TLS and the exchange of ApiVersions share one deadline. A broker answers in the order of the requests, so the
 * response that comes belongs to the first request in flight, or the connection is of no use. When one request's time is up
 * the connection is condemned: whatever made that one late is in front of all others as well.
 *
 * <p>A connection that is given up while answers are awaited on it is aborted, unless the whole client is closed: what the peer has
 * not got by then must not come behind what it is asked later over another connection.
 */
final class Connection implements LinkListener {

    private static final String NAME = "faultline";
    private static final String VERSION = "1";

    /** Hears of a connection; nothing comes after {@link #onLost} or {@link #close}. */
    interface Listener {
        void onReady(Connection connection);

        void onThrottled(Connection connection, Duration throttle);

        void onQuiet(Connection connection);

        void onLost(Connection connection, Exception cause);
    }

    private final String peer;
    private final String clientId;
    private final Watchdogs watchdogs;
    private final Deadline setUpBy;
    private final Listener listener;
    private final Deque<PendingCall> inFlight = new ArrayDeque<>();
    private Link link;
    private Timer setUp;
    private boolean tcpConnected;
    private ApiVersionTable versions;
    private short apiVersionsVersion = ApiKeys.API_VERSIONS.latestVersion();
    private int nextCorrelationId;
    private boolean closed;

    Connection(String peer, String clientId, Watchdogs watchdogs, Deadline setUpBy, Listener listener) {
        this.peer = peer;
        this.clientId = clientId;
        this.watchdogs = watchdogs;
        this.setUpBy = setUpBy;
        this.listener = listener;
    }

    void dial(Dialer dialer, InetSocketAddress address, String host) {
        setUp = watchdogs.arm(Watchdog.CONNECT, peer + " at " + address, setUpBy, () -> setUpTimedOut("no connection"));
        link = dialer.dial(address, host, this);
    }

    boolean isReady() {
        return versions != null && !closed;
    }

    int inFlight() {
        return inFlight.size();
    }

    String description() {
        return peer + ", " + link.description();
    }

    @Override
    public void onTcpConnected() {
        tcpConnected = true;
        setUp.disarm();
        setUp = watchdogs.arm(
                Watchdog.NEGOTIATE, description(), setUpBy, () -> setUpTimedOut("connected, but no answer"));
    }

    private void setUpTimedOut(String how) {
        lose(new IOException("set-up timed out: " + how + ", " + description()));
    }

    boolean isTcpConnected() {
        return tcpConnected;
    }

    @Override
    public void onOpen() {
        askForVersions();
    }

    private void askForVersions() {
        ApiVersionsRequestData body =
                new ApiVersionsRequestData().setClientSoftwareName(NAME).setClientSoftwareVersion(VERSION);
        link.send(Codec.encode(ApiKeys.API_VERSIONS, apiVersionsVersion, clientId, nextCorrelationId, body, () -> {}));
    }

    /** Sends a call, whose watchdog is armed already. Returns false if the peer has no version of it that will do. */
    boolean send(PendingCall pending) {
        Call call = pending.call();
        OptionalInt version = versions.newest(call.api(), call.lowest(), call.highest());
        if (version.isEmpty()) {
            return false;
        }
        short agreed = (short) version.getAsInt();
        ApiMessage body = call.body().of(agreed);
        pending.sentOn(this, nextCorrelationId++, agreed);
        inFlight.add(pending);
        Frame frame =
                Codec.encode(call.api(), agreed, clientId, pending.correlationId(), body, () -> released(pending));
        link.send(frame);
        return true;
    }

    private void released(PendingCall pending) {
        pending.call().handler().onReleased();
        if (!pending.call().expectsResponse() && !closed && inFlight.remove(pending)) {
            pending.succeed(null);
            quietIfSo();
        }
    }

    @Override
    public ByteBuffer roomFor(int bytes) {
        PendingCall first = inFlight.peek();
        return first == null
                ? LinkListener.super.roomFor(bytes)
                : first.call().handler().roomFor(bytes);
    }

    @Override
    public void onFrame(ByteBuffer frame) {
        try {
            if (versions == null) {
                negotiated(frame);
            } else {
                answered(frame);
            }
        } catch (WireException malformed) {
            lose(malformed);
        }
    }

    private void negotiated(ByteBuffer frame) throws WireException {
        check(frame, nextCorrelationId++);
        ApiVersionsResponseData response = Codec.decodeApiVersions(apiVersionsVersion, frame);
        Errors error = Errors.forCode(response.errorCode());
        if (error == Errors.UNSUPPORTED_VERSION && apiVersionsVersion > 0) {
            apiVersionsVersion = olderVersion(response);
            askForVersions();
        } else if (error != Errors.NONE) {
            throw new WireException("ApiVersions answered with " + error);
        } else {
            setUp.disarm();
            versions = ApiVersionTable.of(response);
            listener.onReady(this);
        }
    }

    /** A broker that does not know our version says which it knows; the oldest of brokers do not. */
    private static short olderVersion(ApiVersionsResponseData response) {
        ApiVersion known = response.apiKeys().find(ApiKeys.API_VERSIONS.id);
        return known == null || !ApiKeys.API_VERSIONS.isVersionSupported(known.maxVersion()) ? 0 : known.maxVersion();
    }

    private void answered(ByteBuffer frame) throws WireException {
        PendingCall first = inFlight.peek();
        if (first == null || !first.call().expectsResponse()) {
            throw new WireException("a response that nobody waits for, correlation id " + Codec.correlationId(frame));
        }
        check(frame, first.correlationId());
        Response response = Codec.decode(first.call().api(), first.version(), frame);
        inFlight.poll();
        if (!response.throttle().isZero()) {
            inFlight.forEach(later -> later.extend(response.throttle()));
            listener.onThrottled(this, response.throttle());
        }
        first.succeed(response.body());
        quietIfSo();
    }

    private static void check(ByteBuffer frame, int expected) throws WireException {
        int correlationId = Codec.correlationId(frame);
        if (correlationId != expected) {
            throw new WireException("correlation id " + correlationId + " instead of " + expected);
        }
    }

    private void quietIfSo() {
        if (inFlight.isEmpty() && !closed) {
            listener.onQuiet(this);
        }
    }

    /** The time of a call that was sent is up. */
    void expired(PendingCall late) {
        inFlight.remove(late);
        IOException cause = new IOException(late + " timed out on " + description());
        late.fail(Reason.TIMED_OUT, cause.getMessage(), null);
        lose(cause, true);
    }

    @Override
    public void onClosed(Exception cause) {
        lose(cause);
    }

    /** Closes the connection and fails what is in flight. */
    void lose(Exception cause) {
        lose(cause, !inFlight.isEmpty());
    }

    private void lose(Exception cause, boolean unanswered) {
        if (!closed) {
            close(unanswered);
            failInFlight(cause);
            listener.onLost(this, cause);
        }
    }

    private void failInFlight(Exception cause) {
        Reason reason = cause instanceof AuthenticationException ? Reason.NOT_AUTHENTICATED : Reason.DISCONNECTED;
        for (PendingCall lost = inFlight.poll(); lost != null; lost = inFlight.poll()) {
            lost.fail(reason, "connection lost, " + description() + ": " + cause.getMessage(), cause);
        }
    }

    /** Closes the connection because nobody wants it any more, and fails what is in flight. The listener does not hear of it. */
    void abandon(Reason reason, String why) {
        if (!closed) {
            close(reason != Reason.CLOSED && !inFlight.isEmpty());
            for (PendingCall lost = inFlight.poll(); lost != null; lost = inFlight.poll()) {
                lost.fail(reason, why, null);
            }
        }
    }

    private void close(boolean takeBack) {
        closed = true;
        setUp.disarm();
        if (takeBack) {
            link.abort();
        } else {
            link.close();
        }
    }
}
