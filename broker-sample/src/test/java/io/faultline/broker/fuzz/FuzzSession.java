package io.faultline.broker.fuzz;

import io.faultline.broker.BrokerInside;
import io.faultline.broker.EmbeddedBroker;
import io.faultline.broker.fuzz.FuzzedRequest.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;

/** A broker under fuzzing, and what was seen of it so far. */
final class FuzzSession {

    private static final Kind[] KINDS = Kind.values();
    static final int SOCKET_BIT = 4;
    private static final int COUNT_SHIFT = 3;
    private static final int COUNT_MASK = 3;
    private static final int INPUTS_BETWEEN_CLEANINGS = 2_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final FuzzReport report = new FuzzReport();
    private final EmbeddedBroker broker;
    private final Vocabulary vocabulary;
    private final SocketExchange socket;
    private final DispatcherExchange dispatcher;
    private final List<ApiVersionPair> announced;
    private final Set<ApiVersionPair> announcedSet;
    private final Map<ApiVersionPair, Long> reached = new TreeMap<>(ApiVersionPair.ORDER);
    private Footprint baseline;
    private long inputs;

    FuzzSession() throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, end) -> FaultLog.record(thread.getName() + " ended", end));
        Path directories = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"), "broker"));
        broker = EmbeddedBroker.builder()
                .directories(directories.resolve("a"), directories.resolve("b"))
                .property("group.min.session.timeout.ms", "50")
                .property("group.max.session.timeout.ms", "1000")
                .property("log.segment.bytes", Integer.toString(1 << 20))
                .property("log.segment.delete.delay.ms", "0")
                .property("max.incremental.fetch.session.cache.slots", "50")
                .property("producer.id.expiration.ms", "1000")
                .property("socket.request.max.bytes", Integer.toString(1 << 20))
                .start();
        vocabulary = new Vocabulary(broker);
        socket = new SocketExchange(broker.bootstrapServers());
        dispatcher = new DispatcherExchange(BrokerInside.dispatcher(broker));
        announced = announced(socket);
        announcedSet = Set.copyOf(announced);
        makeTopics();
    }

    static List<ApiVersionPair> announced(SocketExchange socket) throws IOException {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(ApiKeys.API_VERSIONS.id)
                .setClientId("fuzz");
        ByteBuffer request = MessageUtil.toByteBufferAccessor(header, (short) 1).buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(new ApiVersionsRequestData(), (short) 0)
                .buffer();
        ByteBuffer whole = ByteBuffer.allocate(request.remaining() + body.remaining());
        whole.put(request).put(body).flip();
        ApiVersionPair pair = new ApiVersionPair(ApiKeys.API_VERSIONS, (short) 0);
        Expectation expected = Expectation.of(whole, Set.of(pair));
        ApiVersionsResponseData response = (ApiVersionsResponseData) expected.check(socket.send(whole, expected));
        return ApiVersionPair.announced(response.apiKeys());
    }

    private void makeTopics() {
        for (String topic : Vocabulary.TOPICS) {
            if (broker.topics().byName(topic).isEmpty()) {
                broker.topics().create(topic, 2);
            }
        }
    }

    /** Sends what an input stands for, a request or a few, and checks the answers. */
    void run(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        if (inputs++ % INPUTS_BETWEEN_CLEANINGS == INPUTS_BETWEEN_CLEANINGS - 1) {
            clean();
            baseline = baseline == null ? settledFootprint() : baseline;
        }
        makeTopics();
        Kind kind = KINDS[input[0] & KINDS.length - 1];
        Exchange exchange = (input[0] & SOCKET_BIT) == 0 ? dispatcher : socket;
        int count = 1 + (input[0] >> COUNT_SHIFT & COUNT_MASK);
        Decisions decisions = new Decisions(input, 1);
        for (int index = 0; index < (kind == Kind.RAW ? 1 : count); index++) {
            send(FuzzedRequest.next(kind, decisions, announced, vocabulary), exchange);
        }
        if (!broker.offlineDirectories().isEmpty()) {
            awaitError();
            throw new Finding("offline: " + broker.offlineDirectories() + " " + FaultLog.errors());
        }
        if (!FaultLog.errors().isEmpty()) {
            throw new Finding(String.join("; ", FaultLog.errors()));
        }
    }

    /** Why a directory is offline is logged a little later. */
    private static void awaitError() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (FaultLog.errors().isEmpty() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
    }

    private void send(ByteBuffer request, Exchange exchange) throws Exception {
        Expectation expected = Expectation.of(request, announcedSet);
        if (expected.slow()) {
            return;
        }
        if (expected.pair() != null) {
            reached.merge(expected.pair(), 1L, Long::sum);
        }
        ByteBuffer response = exchange.send(request, expected);
        report.count(expected, response != null);
        if (response != null) {
            ApiMessage message = expected.check(response);
            if (message != null) {
                vocabulary.learn(message);
            }
        }
    }

    /** Deletes what the requests made, as any client could. */
    private void clean() throws Exception {
        socket.close();
        for (String topic : List.copyOf(topicNames())) {
            broker.topics().delete(topic);
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            List<String> left = groups(admin);
            while (!left.isEmpty()) {
                if (System.nanoTime() > deadline) {
                    throw new Finding("groups that nobody is in any more stay: " + left);
                }
                for (String group : left) {
                    delete(admin, group);
                }
                left = groups(admin);
            }
        }
        makeTopics();
    }

    private Collection<String> topicNames() {
        return broker.topics().all().stream().map(topic -> topic.name()).toList();
    }

    private static List<String> groups(Admin admin) throws Exception {
        List<String> names = new ArrayList<>();
        for (GroupListing group : admin.listGroups().all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            names.add(group.groupId());
        }
        return names;
    }

    private static void delete(Admin admin, String group) throws Exception {
        try {
            admin.deleteConsumerGroups(List.of(group)).all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException refused) {
            // Its members' sessions have not ended yet.
            if (!(refused.getCause() instanceof GroupNotEmptyException
                    || refused.getCause() instanceof GroupIdNotFoundException)) {
                throw refused;
            }
        }
    }

    /** The footprint once it does not shrink any more: files are closed and threads end a little later. */
    private Footprint settledFootprint() throws IOException {
        Footprint seen = Footprint.now();
        for (Footprint next = Footprint.now(); next.descriptors() < seen.descriptors(); next = Footprint.now()) {
            seen = next;
        }
        return seen;
    }

    /** Checks that the broker is as it was, stops it, and writes the report. */
    void end() throws Exception {
        try {
            if (report.isEnded()) {
                return;
            }
            clean();
            KcatRoundTrip.through(broker.bootstrapServers());
            clean();
            Footprint now = Footprint.now();
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (baseline != null && !now.within(baseline) && System.nanoTime() < deadline) {
                now = Footprint.now();
            }
            report.end(inputs, announced, reached, baseline, now);
        } catch (Exception | Finding failure) {
            report.failed(failure);
        }
        report.write();
        broker.close();
    }
}
