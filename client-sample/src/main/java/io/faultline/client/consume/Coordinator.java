package io.faultline.client.consume;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.network.PeerListener;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the coordinator of the group and knows when it is gone.
 *
 * <p>One broker is asked, and every second that there is no coordinator with a connection one more: a frozen broker costs a second,
 * and a coordinator that has moved is found while the former is still being dialled. A lost connection is a lost coordinator: a
 * dead one never answers NOT_COORDINATOR. On the loop.
 */
final class Coordinator implements PeerListener {

    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);

    private static final Duration NEXT_BROKER = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofSeconds(3);
    private static final Duration FIRST_PATIENCE = Duration.ofSeconds(5);
    private static final byte GROUP = 0;
    private static final int OLDEST = 4; // the first that takes a list of keys
    private static final int NEWEST = 6;

    private final EventLoop loop;
    private final Network network;
    private final Metadata metadata;
    private final ConsumeConfig config;
    private final String group;
    private final Backoff backoff;
    private final Backoff patience;
    private final Inbox inbox;
    private final List<Runnable> onFound = new CopyOnWriteArrayList<>();
    private final List<Runnable> onLost = new CopyOnWriteArrayList<>();
    private final Set<PeerId> asked = new HashSet<>();
    private PeerId candidate; // who is said to be the coordinator
    private boolean found; // and there is a connection
    private boolean needed;
    private int failures; // to find one
    private int losses; // since one did its work
    private int silences;
    private Timer next;
    private Timer watchdog;
    private Timer look;
    private boolean suspect; // its broker has been out of reach since the watching began

    Coordinator(
            EventLoop loop,
            Network network,
            Metadata metadata,
            ConsumeConfig config,
            String group,
            Backoff backoff,
            Inbox inbox) {
        this.loop = loop;
        this.network = network;
        this.metadata = metadata;
        this.config = config;
        this.group = group;
        this.backoff = backoff;
        this.patience = new Backoff(
                FIRST_PATIENCE.compareTo(config.requestTimeout()) < 0 ? FIRST_PATIENCE : config.requestTimeout(),
                config.requestTimeout(),
                backoff.random());
        this.inbox = inbox;
        network.listen(this);
    }

    void listen(Runnable whenFound, Runnable whenLost) {
        onFound.add(whenFound);
        onLost.add(whenLost);
    }

    /** Who coordinates; empty while that is not known, or there is no connection. */
    Optional<PeerId> known() {
        return found ? Optional.of(candidate) : Optional.empty();
    }

    /** Wants a coordinator from now on. */
    void need() {
        if (!needed) {
            needed = true;
            search();
        }
    }

    /**
     * A coordinator does not do its work, or says that it is none.
     *
     * @param which one; nothing happens if it is not the one any more: what fails late at a former coordinator says nothing
     *     about the present one
     */
    void lost(PeerId which, String why) {
        if (!found || !which.equals(candidate)) {
            return;
        }
        LOG.debug("The coordinator of {} is lost: {}", group, why);
        found = false;
        candidate = null;
        losses++;
        onLost.forEach(Runnable::run);
        search();
    }

    /** The coordinator does its work. */
    void works() {
        losses = 0;
    }

    /** What is in flight there will not be answered: closes the connection, and looks for the coordinator again. */
    void condemn(Exception why) {
        if (candidate != null) {
            PeerId condemned = candidate;
            lost(condemned, why.getMessage());
            network.condemn(condemned, why);
        }
    }

    private void search() {
        if (watchdog == null) {
            watchdog = loop.watchdogs()
                    .arm(
                            Watchdog.COORDINATOR,
                            "the coordinator of " + group,
                            loop.in(config.requestTimeout()),
                            this::searchAnew);
        }
        if (losses > 1) {
            askIn(backoff.after(losses - 1)); // who is found is lost again at once: what brokers say is old
        } else if (next == null) {
            askNext();
        }
    }

    /** All answers so far have led nowhere: ask everybody again, with a newer view of who there is. */
    private void searchAnew() {
        watchdog = null;
        candidate = null;
        asked.clear();
        metadata.refresh();
        search();
    }

    private void askNext() {
        next = null;
        if (found) {
            return;
        }
        List<PeerId> brokers = new ArrayList<>();
        network.brokers().forEach(id -> brokers.add(PeerId.broker(id)));
        if (asked.containsAll(brokers)) {
            asked.clear();
        }
        brokers.removeAll(asked);
        brokers.sort(Comparator.<PeerId>comparingInt(peer -> network.isReady(peer) ? 0 : 1)
                .thenComparingInt(network::failures)
                .thenComparingInt(network::inFlight));
        if (brokers.isEmpty()) {
            metadata.refresh();
        } else {
            ask(brokers.get(0));
        }
        askIn(NEXT_BROKER);
    }

    private void askIn(Duration wait) {
        if (next != null) {
            next.disarm();
        }
        next = loop.watchdogs().schedule("asking one more broker for the coordinator", loop.in(wait), this::askNext);
    }

    private void ask(PeerId peer) {
        asked.add(peer);
        ask(peer, this::take, () -> {});
    }

    private void ask(PeerId peer, Consumer<FindCoordinatorResponseData.Coordinator> answer, Runnable noAnswer) {
        network.call(
                peer,
                Call.of(
                                ApiKeys.FIND_COORDINATOR,
                                version -> new FindCoordinatorRequestData()
                                        .setKeyType(GROUP)
                                        .setCoordinatorKeys(List.of(group)),
                                patience.after(silences + 1),
                                new Call.Handler<FindCoordinatorResponseData>() {
                                    @Override
                                    public void onResponse(FindCoordinatorResponseData response, short version) {
                                        silences = 0;
                                        response.coordinators().forEach(answer);
                                    }

                                    @Override
                                    public void onFailure(CallFailure failure) {
                                        if (failure.reason() == CallFailure.Reason.TIMED_OUT) {
                                            silences++;
                                        }
                                        metadata.refresh();
                                        noAnswer.run();
                                    }
                                })
                        .under(Watchdog.COORDINATOR)
                        .between(OLDEST, NEWEST));
    }

    /**
     * Looks after a coordinator that holds a request on purpose, for as long as a rebalance may take. Meanwhile its silence says
     * nothing, so others are asked whether it is still the coordinator, and its broker is asked over the other connection: if that
     * was out of reach and is back, what is held was lost with the outage, and the connection is condemned.
     */
    void watch() {
        unwatch();
        suspect = false;
        lookLater();
    }

    private void lookLater() {
        look = loop.watchdogs().schedule("looking after the coordinator", loop.in(LOOK), this::lookAfter);
    }

    private void lookAfter() {
        lookLater();
        if (!found) {
            return;
        }
        PeerId holding = candidate;
        PeerId itsBroker = PeerId.broker(holding.number());
        ask(itsBroker, answer -> looked(holding, answer, suspect), () -> suspect = true);
        network.brokers().stream()
                .map(PeerId::broker)
                .filter(peer -> !peer.equals(itsBroker) && network.isReady(peer))
                .findAny()
                .ifPresent(other -> ask(other, answer -> looked(holding, answer, false), () -> {}));
    }

    private void looked(PeerId holding, FindCoordinatorResponseData.Coordinator answer, boolean wasOutOfReach) {
        boolean another = answer.errorCode() == Errors.NONE.code() && answer.nodeId() != holding.number();
        if (look != null && holding.equals(candidate) && (another || wasOutOfReach)) {
            suspect = false;
            condemn(new IOException(another ? holding + " is none any more" : holding + " was out of reach"));
        }
    }

    /** The coordinator has answered. */
    void unwatch() {
        if (look != null) {
            look.disarm();
            look = null;
        }
    }

    private void take(FindCoordinatorResponseData.Coordinator answer) {
        Errors error = Errors.forCode(answer.errorCode());
        if (found) {
            return;
        }
        if (error == Errors.NONE) {
            takeCandidate(PeerId.coordinator(answer.nodeId()));
        } else if (error.exception() instanceof RetriableException) {
            asked.clear();
            askIn(backoff.after(++failures));
        } else {
            inbox.put(new Inbox.Trouble(new KafkaException(
                    "the coordinator of group " + group + " cannot be found: " + error.message(), error.exception())));
            askIn(config.retryBackoffMax());
        }
    }

    private void takeCandidate(PeerId said) {
        candidate = said;
        if (!network.brokers().contains(said.number())) {
            metadata.refresh(); // it will be found again when it is known where it listens
        } else if (network.isReady(said)) {
            found();
        } else {
            network.connect(said);
        }
    }

    private void found() {
        found = true;
        failures = 0;
        asked.clear();
        if (watchdog != null) {
            watchdog.disarm();
            watchdog = null;
        }
        network.closeCoordinatorsBut(candidate);
        onFound.forEach(Runnable::run);
    }

    @Override
    public void onReady(PeerId peer) {
        if (peer.equals(candidate) && !found) {
            found();
        }
    }

    @Override
    public void onUnreachable(PeerId peer, Exception cause) {
        if (peer.equals(candidate)) {
            lost(peer, String.valueOf(cause));
        }
    }

    @Override
    public boolean wants(PeerId peer) {
        return needed && peer.equals(candidate);
    }
}
