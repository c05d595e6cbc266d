package io.faultline.client.consume;

import io.faultline.client.consume.Flow.Place;
import io.faultline.client.consume.Flow.State;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.ClusterView;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.metadata.TopicView;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.network.PeerListener;
import io.faultline.client.protocol.FetchSession;
import io.faultline.client.protocol.FetchedRecords;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Watchdog;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches: one request on its way per broker, for all partitions that can be fetched there, as long as nothing that it brought
 * before still waits for the caller. So at most two fetches a broker are in memory, one being read and one behind it.
 *
 * <p>A broker answers a fetch within {@code fetch.max.wait.ms}. One that is silent for two seconds more has its connection
 * condemned, long before {@code request.timeout.ms}: after an outage that left a connection half open the kernel repeats its
 * bytes only after a pause as long as the outage. A broker that is merely slow gets twice the time with each such failure. On the
 * loop.
 */
final class Fetcher implements PeerListener {

    private static final Logger LOG = LoggerFactory.getLogger(Fetcher.class);

    private static final int OLDEST = 4; // the first with the record batches that are read here
    private static final int FETCHES = 2; // of a broker in memory
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration SHUNNED = Duration.ofSeconds(30);

    private final EventLoop loop;
    private final Network network;
    private final Metadata metadata;
    private final ConsumeConfig config;
    private final Positions positions;
    private final Inbox inbox;
    private final Backoff backoff;
    private final Backoff patience;
    private final Map<TopicPartition, Flow> flows = new LinkedHashMap<>();
    private final Map<Integer, Source> sources = new HashMap<>();
    private final Map<Integer, Deadline> shunned = new HashMap<>(); // replicas out of reach, until when

    Fetcher(
            EventLoop loop,
            Network network,
            Metadata metadata,
            ConsumeConfig config,
            PositionsOf positions,
            Inbox inbox,
            Backoff backoff) {
        this.loop = loop;
        this.network = network;
        this.metadata = metadata;
        this.config = config;
        this.positions = positions.whenReady(this::fetch);
        this.inbox = inbox;
        this.backoff = backoff;
        Duration answered = Duration.ofMillis(config.terms().maxWaitMs()).plus(GRACE);
        this.patience = new Backoff(
                answered.compareTo(config.requestTimeout()) < 0 ? answered : config.requestTimeout(),
                config.requestTimeout(),
                backoff.random());
        network.listen(this);
    }

    /** Makes the positions, which tell the fetcher when a partition can be fetched. */
    @FunctionalInterface
    interface PositionsOf {
        Positions whenReady(Runnable fetch);
    }

    /** A broker that is fetched from. */
    private static final class Source {
        private final int node;
        private final FetchSession session;
        private final FetchBuffers buffers = new FetchBuffers(FETCHES);
        private boolean inFlight;
        private int silences;

        Source(int node, FetchSession session) {
            this.node = node;
            this.session = session;
        }
    }

    /** What was asked for in one request. */
    private record Asked(Flow flow, int seeks, long offset) {}

    Positions positions() {
        return positions;
    }

    Collection<Flow> flows() {
        return flows.values();
    }

    /** Takes partitions on. */
    void start(Collection<Flow> started) {
        for (Flow flow : started) {
            flows.put(flow.partition(), flow);
            metadata.want(flow.partition().topic());
        }
        positions.find(started);
        fetch();
    }

    /** Lets partitions go; what is on its way for them is dropped when it comes. */
    void stop(Collection<Flow> stopped) {
        for (Flow flow : stopped) {
            flow.end();
            flows.remove(flow.partition(), flow);
        }
    }

    /** The caller has begun to read what was buffered. */
    void taken(Flow flow, int seeks) {
        if (flow.seeks() == seeks) {
            flow.buffered(false);
            fetch();
        }
    }

    void onView(ClusterView view) {
        positions.validate(flows.values(), view);
        fetch();
    }

    /** Asks every broker that can be asked. */
    void fetch() {
        Map<Integer, Map<TopicPartition, Asked>> wanted = new HashMap<>();
        Map<Integer, Boolean> full = new HashMap<>();
        for (Flow flow : flows.values()) {
            metadata.view()
                    .leader(flow.partition())
                    .ifPresentOrElse(
                            leader -> {
                                int node = flow.source(leader, loop.now());
                                if (flow.isBuffered() && !flow.isPaused()) {
                                    full.put(node, true);
                                } else if (isFetchable(flow)) {
                                    wanted.computeIfAbsent(node, same -> new LinkedHashMap<>())
                                            .put(
                                                    flow.partition(),
                                                    new Asked(
                                                            flow,
                                                            flow.seeks(),
                                                            flow.place().offset()));
                                }
                            },
                            () -> leaderless(flow));
        }
        wanted.forEach((node, asked) -> {
            if (!full.containsKey(node)) {
                fetchFrom(source(node), asked);
            }
        });
    }

    private boolean isFetchable(Flow flow) {
        return flow.state() == State.READY
                && !flow.isPaused()
                && !flow.isBuffered()
                && flow.notBefore().isDue(loop.now());
    }

    private void leaderless(Flow flow) {
        flow.preferLeader();
        if (flow.notBefore().isDue(loop.now())) {
            metadata.refresh();
            later(flow);
        }
    }

    private Source source(int node) {
        return sources.computeIfAbsent(node, id -> new Source(id, new FetchSession(config.clientId(), id)));
    }

    private void fetchFrom(Source source, Map<TopicPartition, Asked> asked) {
        PeerId peer = PeerId.broker(source.node);
        if (source.inFlight) {
            return;
        }
        if (!network.brokers().contains(source.node)) {
            shun(source.node); // a replica that nobody knows, for now
            asked.values().forEach(what -> leaderless(what.flow));
            return;
        }
        if (!network.isReady(peer)) {
            network.connect(peer); // and onReady fetches
            return;
        }
        Map<TopicPartition, FetchSession.Wanted> wanted = new LinkedHashMap<>();
        asked.forEach((partition, what) -> wanted.put(
                partition,
                new FetchSession.Wanted(
                        metadata.view()
                                .topic(partition.topic())
                                .map(TopicView::id)
                                .orElse(Uuid.ZERO_UUID),
                        what.offset,
                        config.partitionBytes(),
                        what.flow.leaderEpoch())));
        FetchSession.Request request = source.session.next(wanted, terms());
        source.inFlight = true;
        FetchFrame frame = new FetchFrame(source.buffers);
        network.call(
                peer,
                Call.of(
                                ApiKeys.FETCH,
                                request::body,
                                patience.after(source.silences + 1),
                                new Call.Handler<FetchResponseData>() {
                                    @Override
                                    public ByteBuffer roomFor(int bytes) {
                                        return frame.room(bytes);
                                    }

                                    @Override
                                    public void onResponse(FetchResponseData response, short version) {
                                        source.inFlight = false;
                                        source.silences = 0;
                                        answered(source, asked, frame, response, version);
                                        frame.release();
                                    }

                                    @Override
                                    public void onFailure(CallFailure failure) {
                                        source.inFlight = false;
                                        failed(source, failure);
                                    }
                                })
                        .between(OLDEST, request.latestVersion(ApiKeys.FETCH.latestVersion())));
    }

    /** Without a rack while a replica is out of reach: the leader would send to it again, and no records. */
    private FetchSession.Terms terms() {
        shunned.values().removeIf(until -> until.isDue(loop.now()));
        return shunned.isEmpty() ? config.terms() : config.terms().withoutRack();
    }

    /** Fetches from a replica that the leader names, if that is within reach soon. */
    private void prefer(Flow flow, int replica) {
        if (shunned.containsKey(replica)) {
            return;
        }
        flow.prefer(replica, loop.in(config.preferredReplicaAge()));
        if (!network.isReady(PeerId.broker(replica))) {
            loop.watchdogs().schedule("a connection to replica " + replica, loop.in(GRACE), () -> {
                if (!network.isReady(PeerId.broker(replica))) {
                    shun(replica);
                    fetch();
                }
            });
        }
    }

    private void shun(int replica) {
        for (Flow flow : flows.values()) {
            if (flow.source(-1, loop.now()) == replica) {
                flow.preferLeader();
                shunned.put(replica, loop.in(SHUNNED));
            }
        }
    }

    private void failed(Source source, CallFailure failure) {
        source.session.failed(failure.asException());
        if (failure.reason() == CallFailure.Reason.TIMED_OUT) {
            source.silences++;
        }
        metadata.refresh();
        shun(source.node);
        loop.watchdogs()
                .arm(
                        Watchdog.RETRY_BACKOFF,
                        "fetching from broker " + source.node + " again",
                        loop.in(backoff.after(1)),
                        this::fetch);
    }

    private void answered(
            Source source,
            Map<TopicPartition, Asked> asked,
            FetchFrame frame,
            FetchResponseData response,
            short version) {
        Map<TopicPartition, PartitionData> answers = source.session.accept(response, version);
        if (response.errorCode() != Errors.NONE.code()) {
            LOG.debug("Broker {} refused a fetch: {}", source.node, Errors.forCode(response.errorCode()));
            metadata.refresh();
            loop.watchdogs()
                    .arm(
                            Watchdog.RETRY_BACKOFF,
                            "fetching from broker " + source.node + " in another session",
                            loop.in(backoff.after(1)),
                            this::fetch);
            return;
        }
        answers.forEach((partition, answer) -> {
            Asked what = asked.get(partition);
            if (what != null && isCurrent(what)) {
                take(what, answer, frame);
            }
        });
        fetch();
    }

    /** Taken away, sought, or begun anew since: what came is not for that place. */
    private static boolean isCurrent(Asked what) {
        Flow flow = what.flow;
        return !flow.isEnded()
                && flow.seeks() == what.seeks
                && flow.state() == State.READY
                && flow.place().offset() == what.offset;
    }

    private void take(Asked what, PartitionData answer, FetchFrame frame) {
        Errors error = Errors.forCode(answer.errorCode());
        Flow flow = what.flow;
        if (error == Errors.NONE) {
            FetchResponse.preferredReadReplica(answer).ifPresent(replica -> prefer(flow, replica));
            flow.calm();
            FetchedRecords records;
            try {
                records = new FetchedRecords(
                        flow.partition(),
                        what.offset,
                        answer.records(),
                        answer.abortedTransactions(),
                        config.committedOnly(),
                        config.checkCrcs());
            } catch (RuntimeException damaged) { // which must not take the other partitions' records with it
                trouble(
                        flow,
                        "what was fetched of " + flow.partition() + " from " + what.offset + " is no batch of records: "
                                + damaged);
                return;
            }
            if (records.nextOffset() > what.offset) {
                flow.advance(new Place(records.nextOffset(), records.lastEpoch()));
                flow.buffered(true);
                frame.share();
                inbox.put(new Chunk(flow, what.seeks, records, frame));
            } else if (records.sizeInBytes() > 0) {
                trouble(flow, "a batch of " + flow.partition() + " is larger than the broker sends");
            }
        } else if (error == Errors.OFFSET_OUT_OF_RANGE) {
            if (flow.source(-1, loop.now()) >= 0) {
                flow.preferLeader(); // the follower may merely lag
            } else {
                positions.outOfRange(flow);
            }
        } else if (error == Errors.TOPIC_AUTHORIZATION_FAILED) {
            inbox.put(new Inbox.Trouble(
                    new TopicAuthorizationException(Set.of(flow.partition().topic()))));
            later(flow);
        } else if (error.exception() instanceof RetriableException || error == Errors.FENCED_LEADER_EPOCH) {
            flow.preferLeader();
            metadata.refresh();
            later(flow);
        } else {
            trouble(
                    flow,
                    "broker refuses to send " + flow.partition() + " from " + what.offset + ": " + error.message());
        }
    }

    private void trouble(Flow flow, String what) {
        inbox.put(new Inbox.Trouble(new KafkaException(what)));
        later(flow);
    }

    /** One partition's trouble holds up no other. */
    private void later(Flow flow) {
        Deadline later = loop.in(backoff.after(flow.failed()));
        flow.notBefore(later);
        loop.watchdogs().arm(Watchdog.RETRY_BACKOFF, "fetching " + flow.partition() + " again", later, this::fetch);
    }

    @Override
    public void onReady(PeerId peer) {
        if (peer.role() == PeerId.Role.BROKER) {
            fetch();
        }
    }

    @Override
    public void onUnreachable(PeerId peer, Exception cause) {
        if (peer.role() == PeerId.Role.BROKER) {
            shun(peer.number());
        }
        if (wants(peer)) {
            metadata.refresh(); // perhaps the partitions have moved
        }
    }

    @Override
    public boolean wants(PeerId peer) {
        return peer.role() == PeerId.Role.BROKER
                && flows.values().stream()
                        .anyMatch(flow -> metadata.view()
                                .leader(flow.partition())
                                .filter(leader -> flow.source(leader, loop.now()) == peer.number())
                                .isPresent());
    }
}
