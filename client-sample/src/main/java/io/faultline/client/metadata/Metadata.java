package io.faultline.client.metadata;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.network.PeerListener;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import io.faultline.client.watchdog.Watchdogs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the view of the cluster fresh. On the loop, but for {@link #view}.
 *
 * <p>A refresh asks one broker, and every second that it gets no answer one more, until one answers: brokers with a connection
 * first, then the others, and when every known broker has failed, or none is known, the bootstrap addresses that are no known
 * broker's. So a frozen broker costs a second and not a request time-out. When all that could be asked have failed, there is a pause with back-off.
 * The metadata watchdog counts from the first wish for a refresh until an answer; when it fires the known brokers are given up
 * and only the bootstrap addresses are left.
 */
public final class Metadata implements PeerListener {

    private static final Logger LOG = LoggerFactory.getLogger(Metadata.class);

    private static final Duration NEXT_BROKER = Duration.ofSeconds(1);

    private final EventLoop loop;
    private final Watchdogs watchdogs;
    private final Network network;
    private final MetadataConfig config;
    private final Backoff backoff;
    private final Map<String, Deadline> wanted = new HashMap<>(); // until when, by topic
    private final List<MetadataListener> listeners = new CopyOnWriteArrayList<>();
    private final Set<PeerId> asked = new HashSet<>();
    private volatile ClusterView view = ClusterView.NOTHING;
    private String strangers;
    private boolean allTopics;
    private boolean closed;
    private boolean refreshing;
    private boolean wantedAgain;
    private int round;
    private int failures;
    private boolean silence; // nobody has answered since
    private Deadline earliest = new Deadline(0);
    private Timer next;
    private Timer pause;
    private Timer watchdog;
    private Timer maxAge;

    /**
     * Makes the keeper, who asks nobody yet.
     *
     * @param loop the loop
     * @param network whom to ask
     * @param config how
     * @param random varies pauses
     */
    public Metadata(EventLoop loop, Network network, MetadataConfig config, RandomGenerator random) {
        this.loop = loop;
        this.watchdogs = loop.watchdogs();
        this.network = network;
        this.config = config;
        this.backoff = new Backoff(config.retryBackoff(), config.retryBackoffMax(), random);
        network.listen(this);
    }

    /**
     * Adds a listener.
     *
     * @param listener hears of every view from now on
     */
    public void listen(MetadataListener listener) {
        listeners.add(listener);
    }

    /**
     * What is known now. May be asked on any thread.
     *
     * @return the newest view
     */
    public ClusterView view() {
        return view;
    }

    /**
     * Wants a topic to be in the view, from now until nobody has said so for {@code metadata.max.idle.ms}.
     *
     * @param topic its name
     */
    public void want(String topic) {
        boolean isNew = wanted.put(topic, loop.in(config.maxIdle())) == null;
        if (isNew || view.topic(topic).isEmpty()) {
            refresh();
        }
    }

    /**
     * Wants all topics to be in the view, or only those that were asked for.
     *
     * @param all whether all
     */
    public void wantAllTopics(boolean all) {
        if (all && !allTopics) {
            allTopics = true;
            refresh();
        } else {
            allTopics = all;
        }
    }

    /** Wants a newer view, soon: what is known has turned out to be wrong. */
    public void refresh() {
        if (closed) {
            return;
        }
        if (refreshing) {
            wantedAgain = true;
            return;
        }
        if (watchdog == null) {
            watchdog = watchdogs.arm(
                    Watchdog.METADATA,
                    "a view of the cluster",
                    loop.in(config.rebootstrapTrigger()),
                    this::giveUpBrokers);
        }
        if (pause != null) {
            return;
        }
        if (earliest.isDue(loop.now())) {
            beginRound();
        } else {
            pauseUntil(earliest);
        }
    }

    private void beginRound() {
        refreshing = true;
        round++;
        asked.clear();
        askNext();
    }

    /** Asks one more, and the one after that in a second. */
    private void askNext() {
        if (next != null) {
            next.disarm();
        }
        next = watchdogs.schedule("asking one more broker", loop.in(NEXT_BROKER), this::askNext);
        candidates().stream().filter(peer -> !asked.contains(peer)).findFirst().ifPresent(this::ask);
    }

    private List<PeerId> candidates() {
        List<PeerId> all = new ArrayList<>();
        boolean anyLeft = false;
        for (int broker : network.brokers()) {
            PeerId peer = PeerId.broker(broker);
            all.add(peer);
            anyLeft |= network.failures(peer) == 0 && !asked.contains(peer);
        }
        all.sort(Comparator.<PeerId>comparingInt(peer -> network.isReady(peer) ? 0 : 1)
                .thenComparingInt(network::failures)
                .thenComparingInt(network::inFlight));
        if (!anyLeft && (config.rebootstrap() || all.isEmpty())) {
            all.addAll(network.bootstrapPeersBesideBrokers());
        }
        return all;
    }

    private void ask(PeerId peer) {
        asked.add(peer);
        int askedIn = round;
        network.call(
                peer,
                Call.of(
                        ApiKeys.METADATA,
                        this::request,
                        config.requestTimeout(),
                        new Call.Handler<MetadataResponseData>() {
                            @Override
                            public void onResponse(MetadataResponseData response, short version) {
                                answered(askedIn, response);
                            }

                            @Override
                            public void onFailure(CallFailure failure) {
                                if (askedIn == round && refreshing) {
                                    failed(failure.asException());
                                }
                            }
                        }));
    }

    private MetadataRequestData request(short version) {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(config.createTopics());
        if (allTopics) {
            return request.setTopics(null);
        }
        forgetIdleTopics();
        wanted.keySet().forEach(topic -> request.topics().add(new MetadataRequestTopic().setName(topic)));
        return request;
    }

    private void forgetIdleTopics() {
        long now = loop.now();
        wanted.values().removeIf(until -> until.isDue(now));
    }

    private void answered(int askedIn, MetadataResponseData response) {
        if (askedIn != round || response.brokers().isEmpty()) {
            if (askedIn == round && refreshing) {
                failed(new IOException("a view without brokers"));
            }
            return;
        }
        ClusterView before = view;
        if (before.clusterId() != null && !before.clusterId().equals(response.clusterId())) {
            warnOf(response.clusterId());
            failed(new IOException("a broker of another cluster answered: " + response.clusterId()));
            return;
        }
        ViewUpdate update = new ViewUpdate(before, response);
        Set<String> keep = new HashSet<>(allTopics ? before.topics().keySet() : wanted.keySet());
        ClusterView now = update.after(keep);
        view = now;
        network.brokers(now.brokers());
        network.closeBootstrap();
        endRound();
        if (watchdog != null) {
            watchdog.disarm();
            watchdog = null;
        }
        refreshWhenOld();
        earliest = loop.in(backoff.after(1)); // what has just been asked for is not asked for again at once
        listeners.forEach(listener -> listener.onView(before, now));
        update.topicErrors().forEach(this::topicFailed);
        if (silence) {
            silence = false;
            failures = 0; // what is still missing just after an outage is there soon
        }
        boolean incomplete = wantedAgain || wanted.keySet().stream().anyMatch(topic -> isIncomplete(now, topic));
        wantedAgain = false;
        if (incomplete) {
            pauseThenRefresh();
        } else {
            failures = 0;
        }
    }

    private void warnOf(String otherCluster) {
        if (!otherCluster.equals(strangers)) {
            strangers = otherCluster; // said once, however often it answers
            LOG.error(
                    "A broker of another cluster answered, {} instead of {}; it is not followed",
                    otherCluster,
                    view.clusterId());
        }
    }

    private void topicFailed(String topic, Errors error) {
        if (!(error.exception() instanceof RetriableException)) {
            wanted.remove(topic); // until somebody wants it again
        }
        listeners.forEach(listener -> listener.onTopicError(topic, error));
    }

    private static boolean isIncomplete(ClusterView now, String topic) {
        return now.topic(topic)
                .map(known -> !known.partitions().values().stream().allMatch(PartitionView::hasLeader))
                .orElse(true);
    }

    private void endRound() {
        refreshing = false;
        asked.clear();
        if (next != null) {
            next.disarm();
            next = null;
        }
    }

    private void refreshWhenOld() {
        if (maxAge != null) {
            maxAge.disarm();
        }
        maxAge = watchdogs.schedule("the view is old", loop.in(config.maxAge()), this::refresh);
    }

    /** One of those that were asked will not answer. */
    private void failed(Exception cause) {
        silence = true;
        listeners.forEach(listener -> listener.onFailure(cause));
        boolean moreToAsk = candidates().stream().anyMatch(peer -> !asked.contains(peer));
        if (moreToAsk) {
            askNext();
        } else {
            endRound();
            pauseThenRefresh();
        }
    }

    private void pauseThenRefresh() {
        failures++;
        if (pause == null) {
            pauseUntil(loop.in(backoff.after(failures)));
        }
    }

    private void pauseUntil(Deadline until) {
        pause = watchdogs.arm(Watchdog.RETRY_BACKOFF, "a view of the cluster", until, () -> {
            pause = null;
            earliest = until;
            refresh();
        });
    }

    private void giveUpBrokers() {
        watchdog = null;
        if (config.rebootstrap()) {
            LOG.warn(
                    "No broker told of the cluster for {}; starting from the bootstrap servers",
                    config.rebootstrapTrigger());
            network.brokers(Map.of());
        }
        refreshing = false;
        refresh();
    }

    @Override
    public void onReady(PeerId peer) {
        // Whoever was asked has been sent the question by now.
    }

    @Override
    public void onUnreachable(PeerId peer, Exception cause) {
        if (refreshing && asked.contains(peer)) {
            listeners.forEach(listener -> listener.onFailure(cause));
            askNext(); // without waiting for the second to be over
        }
    }

    @Override
    public boolean wants(PeerId peer) {
        return false;
    }

    /** Asks nobody any more. */
    public void close() {
        closed = true;
        endRound();
        wanted.clear();
        listeners.clear();
        for (Timer timer : new Timer[] {pause, watchdog, maxAge}) {
            if (timer != null) {
                timer.disarm();
            }
        }
    }
}
