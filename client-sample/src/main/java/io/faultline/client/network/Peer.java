package io.faultline.client.network;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.network.CallFailure.Reason;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import io.faultline.client.watchdog.Watchdogs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.common.errors.AuthenticationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A peer and the way to it: at most one connection that is ready, and while there is none at most two attempts at one.
 *
 * <p>An attempt has its whole set-up time, but beside it a fresh one starts every second and replaces the one of a second
 * before: after an outage the kernel sends the next SYN of an old attempt, or repeats its bytes, only after a pause as long as
 * the outage. The first attempt to be ready wins. Each goes to the next of the host's addresses; when all had their turn the
 * name is resolved again.
 *
 * <p>Calls wait for a connection, each until its own deadline. On the loop.
 */
final class Peer implements Connection.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(Peer.class);

    private final PeerId id;
    private final HostPort endpoint;
    private final EventLoop loop;
    private final Watchdogs watchdogs;
    private final Dialer dialer;
    private final Resolver resolver;
    private final ConnectConfig config;
    private final Backoff setUpTimeouts;
    private final Backoff reconnects;
    private final PeerListener listener;
    private final Deque<PendingCall> waiting = new ArrayDeque<>();
    private final List<Connection> attempts = new ArrayList<>(); // the oldest first
    private final Deque<InetAddress> addresses = new ArrayDeque<>(); // that have not had their turn
    private Connection connection;
    private Timer freshConnect;
    private Timer resolution;
    private Timer backoff;
    private Timer unmute;
    private Timer idle;
    private int resolutions;
    private int failures;
    private boolean closed;

    Peer(
            PeerId id,
            HostPort endpoint,
            EventLoop loop,
            Dialer dialer,
            Resolver resolver,
            ConnectConfig config,
            Backoff setUpTimeouts,
            Backoff reconnects,
            PeerListener listener) {
        this.id = id;
        this.endpoint = endpoint;
        this.loop = loop;
        this.watchdogs = loop.watchdogs();
        this.dialer = dialer;
        this.resolver = resolver;
        this.config = config;
        this.setUpTimeouts = setUpTimeouts;
        this.reconnects = reconnects;
        this.listener = listener;
    }

    HostPort endpoint() {
        return endpoint;
    }

    boolean isReady() {
        return connection != null && unmute == null;
    }

    boolean isConnected() {
        return connection != null;
    }

    int failures() {
        return failures;
    }

    int inFlight() {
        return connection == null ? 0 : connection.inFlight();
    }

    int sockets() {
        return attempts.size() + (connection == null ? 0 : 1);
    }

    /** Sees to it that there is a connection, or soon will be. */
    void connect() {
        if (connection != null || resolution != null || backoff != null || closed) {
            return;
        }
        if (attempts.isEmpty()) {
            attempt();
        } else if (freshConnect == null) {
            connectAfresh(); // nobody wanted the attempts that are pending for a while, and they have become slow
        }
    }

    void call(PendingCall pending) {
        Call call = pending.call();
        pending.arm(watchdogs.arm(
                call.watchdog(),
                call.api().name + " to " + id + " at " + endpoint,
                loop.in(call.timeout()),
                () -> expired(pending)));
        if (isReady()) {
            send(pending);
        } else {
            waiting.add(pending);
            if (unmute != null) {
                pending.extend(Duration.ofNanos(unmute.deadline().remaining(loop.now())));
            }
            connect();
        }
    }

    private void send(PendingCall pending) {
        if (idle != null) {
            idle.disarm();
            idle = null;
        }
        if (!connection.send(pending)) {
            loop.execute(() -> {
                pending.fail(Reason.UNSUPPORTED_VERSION, unsupported(pending.call()), null);
                pending.call().handler().onReleased();
            });
            onQuiet(connection);
        }
    }

    private String unsupported(Call call) {
        return id + " at " + endpoint + " has no version of " + call.api().name + " between " + call.lowest() + " and "
                + call.highest();
    }

    private void expired(PendingCall pending) {
        if (pending.connection() != null) {
            pending.connection().expired(pending);
        } else {
            waiting.remove(pending);
            pending.fail(
                    Reason.TIMED_OUT,
                    pending + " timed out before there was a connection to " + id + " at " + endpoint,
                    null);
            pending.call().handler().onReleased();
        }
    }

    /** Makes the next attempt, beside one that is pending. */
    private void attempt() {
        InetAddress address = addresses.poll();
        if (address == null) {
            resolve();
        } else {
            dial(address);
        }
    }

    private void resolve() {
        if (resolution != null) {
            return;
        }
        int number = ++resolutions;
        resolution = watchdogs.arm(Watchdog.CONNECT, "the addresses of " + endpoint.host(), setUpDeadline(), () -> {
            resolution = null;
            failed(new IOException("resolving " + endpoint.host() + " timed out"));
        });
        resolver.resolve(endpoint.host(), (found, failure) -> {
            if (number == resolutions && resolution != null) {
                resolution.disarm();
                resolution = null;
                resolved(found, failure);
            }
        });
    }

    private void resolved(List<InetAddress> found, Exception failure) {
        addresses.clear();
        addresses.addAll(found);
        if (connection != null || closed) {
            return;
        }
        if (found.isEmpty()) {
            failed(failure);
        } else {
            attempt();
        }
    }

    private Deadline setUpDeadline() {
        return loop.in(setUpTimeouts.after(failures + 1));
    }

    private void dial(InetAddress address) {
        Connection attempt = new Connection(id.toString(), config.clientId(), watchdogs, setUpDeadline(), this);
        attempts.add(attempt);
        attempt.dial(dialer, new InetSocketAddress(address, endpoint.port()), endpoint.host());
        if (freshConnect == null) {
            freshConnectLater();
        }
    }

    private void freshConnectLater() {
        freshConnect = watchdogs.schedule(
                "a fresh connect to " + endpoint, loop.in(ConnectConfig.FRESH_CONNECT), this::connectAfresh);
    }

    private void connectAfresh() {
        freshConnect = null;
        if (!isWanted()) {
            return;
        }
        if (attempts.size() > 1) {
            attempts.remove(attempts.size() - 1).abandon(Reason.DISCONNECTED, "replaced by a fresh one");
        }
        freshConnectLater();
        attempt();
    }

    @Override
    public void onReady(Connection ready) {
        LOG.debug("{} at {} is ready: {}", id, endpoint, ready.description());
        attempts.remove(ready);
        abandonAttempts("another one was faster");
        connection = ready;
        failures = 0;
        addresses.clear();
        onQuiet(ready);
        sendWaiting();
        listener.onReady(id);
    }

    private void sendWaiting() {
        while (isReady() && !waiting.isEmpty()) {
            PendingCall next = waiting.poll();
            if (!next.hasEnded()) {
                send(next);
            }
        }
    }

    @Override
    public void onThrottled(Connection throttled, Duration throttle) {
        if (unmute != null) {
            unmute.disarm();
        }
        waiting.forEach(later -> later.extend(throttle));
        unmute = watchdogs.schedule(id + " has throttled us", loop.in(throttle), () -> {
            unmute = null;
            if (connection != null) {
                sendWaiting();
                listener.onReady(id);
            }
        });
    }

    @Override
    public void onQuiet(Connection quiet) {
        if (quiet == connection && quiet.inFlight() == 0 && idle == null) {
            idle = watchdogs.schedule(id + " is idle", loop.in(config.maxIdle()), () -> {
                idle = null;
                LOG.debug("{} at {} was idle; closed", id, endpoint);
                connection.abandon(Reason.DISCONNECTED, "idle");
                connection = null;
                unmuted();
            });
        }
    }

    @Override
    public void onLost(Connection lost, Exception cause) {
        if (lost == connection) {
            connection = null;
            unmuted();
            if (idle != null) {
                idle.disarm();
                idle = null;
            }
            LOG.info("{} at {} is lost: {}", id, endpoint, cause.getMessage());
            failed(cause);
        } else if (attempts.remove(lost)) {
            LOG.debug("{} at {} was not reached: {}", id, endpoint, cause.getMessage());
            failed(cause);
        }
    }

    /** The mute of a connection ends with it. */
    private void unmuted() {
        if (unmute != null) {
            unmute.disarm();
            unmute = null;
        }
    }

    private void failed(Exception cause) {
        if (closed) {
            return;
        }
        failures++;
        boolean refused = cause instanceof AuthenticationException;
        if (refused) {
            failWaiting(Reason.NOT_AUTHENTICATED, cause.getMessage(), cause);
        }
        if (attempts.isEmpty() && resolution == null) {
            if (addresses.isEmpty() || refused) {
                pause();
            } else {
                attempt(); // the host has more addresses, and they are tried at once
            }
        }
        listener.onUnreachable(id, cause);
    }

    /** There is neither a connection nor an attempt; after a pause there may be one, if anybody still wants it. */
    private void pause() {
        if (freshConnect != null) {
            freshConnect.disarm();
            freshConnect = null;
        }
        backoff = watchdogs.arm(
                Watchdog.RETRY_BACKOFF,
                "connecting to " + id + " at " + endpoint,
                loop.in(reconnects.after(failures)),
                () -> {
                    backoff = null;
                    if (isWanted()) {
                        connect();
                    }
                });
    }

    private boolean isWanted() {
        return !waiting.isEmpty() || listener.wants(id);
    }

    private void failWaiting(Reason reason, String message, Exception cause) {
        List<PendingCall> failed = List.copyOf(waiting);
        waiting.clear(); // first: whose call fails may make another one at once
        for (PendingCall call : failed) {
            call.fail(reason, message, cause);
            call.call().handler().onReleased();
        }
    }

    private void abandonAttempts(String why) {
        if (freshConnect != null) {
            freshConnect.disarm();
            freshConnect = null;
        }
        if (resolution != null) {
            resolution.disarm();
            resolution = null;
        }
        attempts.forEach(attempt -> attempt.abandon(Reason.DISCONNECTED, why));
        attempts.clear();
    }

    /** Condemns the connection, if there is one: whatever made {@code cause} is believed to be on it. */
    void condemn(Exception cause) {
        if (connection != null) {
            connection.lose(cause);
        }
    }

    /** Gives everything back; calls that have not ended fail with the reason. */
    void close(Reason reason, String why) {
        if (!closed) {
            closed = true;
            abandonAttempts(why);
            if (backoff != null) {
                backoff.disarm();
            }
            if (idle != null) {
                idle.disarm();
            }
            unmuted();
            if (connection != null) {
                connection.abandon(reason, why);
                connection = null;
            }
            failWaiting(reason, why, null);
        }
    }
}
