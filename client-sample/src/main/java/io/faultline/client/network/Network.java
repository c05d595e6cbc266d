package io.faultline.client.network;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.network.CallFailure.Reason;
import io.faultline.client.network.PeerId.Role;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;

/**
 * All peers of a client, and the calls to them. On the loop.
 *
 * <p>Peers come from two sources: the bootstrap addresses, and {@linkplain #brokers the brokers} of the last metadata. A
 * coordinator is a broker with a connection of its own.
 */
public final class Network {

    private final EventLoop loop;
    private final Dialer dialer;
    private final Resolver resolver;
    private final ConnectConfig config;
    private final Backoff setUpTimeouts;
    private final Backoff reconnects;
    private final List<HostPort> bootstrap;
    private final Map<Integer, HostPort> brokers = new HashMap<>();
    private final Map<PeerId, Peer> peers = new HashMap<>();
    private final List<PeerListener> listeners = new CopyOnWriteArrayList<>();
    private final PeerListener everyListener = new EveryListener();
    private String closedWhy;

    /**
     * Makes the network of one client.
     *
     * @param loop its loop
     * @param dialer makes links
     * @param resolver finds addresses
     * @param config how connections are made and kept
     * @param bootstrap {@code bootstrap.servers}
     * @param random varies pauses
     */
    public Network(
            EventLoop loop,
            Dialer dialer,
            Resolver resolver,
            ConnectConfig config,
            List<HostPort> bootstrap,
            RandomGenerator random) {
        this.loop = loop;
        this.dialer = dialer;
        this.resolver = resolver;
        this.config = config;
        this.bootstrap = List.copyOf(bootstrap);
        this.setUpTimeouts = new Backoff(config.setUpTimeout(), config.setUpTimeoutMax(), random);
        this.reconnects = new Backoff(config.reconnectBackoff(), config.reconnectBackoffMax(), random);
    }

    /**
     * Adds a listener.
     *
     * @param listener hears of all peers from now on
     */
    public void listen(PeerListener listener) {
        listeners.add(listener);
    }

    /**
     * The peers of {@code bootstrap.servers}.
     *
     * @return one for each address, in their order
     */
    public List<PeerId> bootstrapPeers() {
        List<PeerId> all = new ArrayList<>();
        for (int index = 0; index < bootstrap.size(); index++) {
            all.add(PeerId.bootstrap(index));
        }
        return all;
    }

    /**
     * The peers of {@code bootstrap.servers} whose addresses are not those of known brokers: a broker is dialled under its own id,
     * afresh every second and with its name resolved again and again, and a second time would only cost sockets.
     *
     * @return in their order; all of them while no broker is known
     */
    public List<PeerId> bootstrapPeersBesideBrokers() {
        return bootstrapPeers().stream()
                .filter(id -> !brokers.containsValue(bootstrap.get(id.number())))
                .toList();
    }

    /**
     * The brokers that are known.
     *
     * @return their ids
     */
    public Set<Integer> brokers() {
        return Set.copyOf(brokers.keySet());
    }

    /**
     * Takes over the brokers of newer metadata. Connections to brokers that are gone, or have moved, are closed, and
     * what is in flight there fails as with any lost connection.
     *
     * @param known where each broker listens, by id
     */
    public void brokers(Map<Integer, HostPort> known) {
        brokers.clear();
        brokers.putAll(known);
        List<PeerId> gone = peers.entrySet().stream()
                .filter(entry -> entry.getKey().role() != Role.BOOTSTRAP)
                .filter(entry -> !entry.getValue()
                        .endpoint()
                        .equals(brokers.get(entry.getKey().number())))
                .map(Map.Entry::getKey)
                .toList();
        gone.forEach(id -> close(id, id + " has left"));
    }

    /** Forgets the peer first: whose call fails may make another one at once. */
    private void close(PeerId id, String why) {
        Peer peer = peers.remove(id);
        if (peer != null) {
            peer.close(Reason.DISCONNECTED, why);
        }
    }

    /**
     * Closes the connections to the bootstrap addresses: the brokers are known by their ids now.
     */
    public void closeBootstrap() {
        bootstrapPeers().forEach(id -> close(id, "the brokers are known"));
    }

    /**
     * Closes the connections to former coordinators; what is in flight there fails as with any lost connection.
     *
     * @param present whose connection is kept
     */
    public void closeCoordinatorsBut(PeerId present) {
        peers.keySet().stream()
                .filter(id -> id.role() == Role.COORDINATOR && !id.equals(present))
                .toList()
                .forEach(id -> close(id, id + " is no coordinator any more"));
    }

    /**
     * Sees to it that there is a connection, or soon will be.
     *
     * @param id to whom; nothing happens if that broker is not known
     */
    public void connect(PeerId id) {
        Peer peer = peer(id);
        if (peer != null) {
            peer.connect();
        }
    }

    /**
     * Says whether a call would be sent now.
     *
     * @param id to whom
     * @return true if there is a connection and the broker does not want to be left alone
     */
    public boolean isReady(PeerId id) {
        Peer peer = peers.get(id);
        return peer != null && peer.isReady();
    }

    /**
     * How many calls have been sent and not answered.
     *
     * @param id to whom
     * @return the count
     */
    public int inFlight(PeerId id) {
        Peer peer = peers.get(id);
        return peer == null ? 0 : peer.inFlight();
    }

    /**
     * How often in a row a connection was lost or could not be made.
     *
     * @param id to whom
     * @return the count since a connection was last ready
     */
    public int failures(PeerId id) {
        Peer peer = peers.get(id);
        return peer == null ? 0 : peer.failures();
    }

    /**
     * How many sockets there are.
     *
     * @return connections and attempts
     */
    public int sockets() {
        return peers.values().stream().mapToInt(Peer::sockets).sum();
    }

    /**
     * Sends a request, at once or when there is a connection.
     *
     * @param id to whom
     * @param call what; ends on the loop, after this method has returned
     */
    public void call(PeerId id, Call call) {
        PendingCall pending = new PendingCall(call);
        Peer peer = peer(id);
        if (peer != null) {
            peer.call(pending);
        } else {
            Reason reason = closedWhy != null ? Reason.CLOSED : Reason.DISCONNECTED;
            String why = closedWhy != null ? closedWhy : id + " is not known";
            loop.execute(() -> {
                pending.fail(reason, why, null);
                call.handler().onReleased();
            });
        }
    }

    /**
     * Closes the connection to a peer, and fails what is in flight there. There will be another if somebody wants it.
     *
     * @param id to whom
     * @param cause why
     */
    public void condemn(PeerId id, Exception cause) {
        Peer peer = peers.get(id);
        if (peer != null) {
            peer.condemn(cause);
        }
    }

    private Peer peer(PeerId id) {
        HostPort endpoint = id.role() == Role.BOOTSTRAP ? bootstrap.get(id.number()) : brokers.get(id.number());
        if (endpoint == null || closedWhy != null) {
            return null;
        }
        return peers.computeIfAbsent(
                id,
                same -> new Peer(
                        id, endpoint, loop, dialer, resolver, config, setUpTimeouts, reconnects, everyListener));
    }

    /**
     * Closes all connections; calls to come fail at once.
     *
     * @param why for those whose calls fail
     */
    public void close(String why) {
        closedWhy = why;
        for (Peer peer : List.copyOf(peers.values())) {
            peer.close(Reason.CLOSED, why);
        }
        peers.clear();
        resolver.close();
    }

    private final class EveryListener implements PeerListener {

        @Override
        public void onReady(PeerId peer) {
            listeners.forEach(listener -> listener.onReady(peer));
        }

        @Override
        public void onUnreachable(PeerId peer, Exception cause) {
            listeners.forEach(listener -> listener.onUnreachable(peer, cause));
        }

        @Override
        public boolean wants(PeerId peer) {
            return listeners.stream().anyMatch(listener -> listener.wants(peer));
        }
    }
}
