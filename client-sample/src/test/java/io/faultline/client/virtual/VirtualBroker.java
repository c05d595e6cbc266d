package io.faultline.client.virtual;

import io.faultline.client.network.HostPort;
import io.faultline.client.virtual.VirtualNetwork.VirtualLink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;

/** One broker of a {@link VirtualCluster}, which can be frozen, killed, cut off, and told to swallow its answers. */
final class VirtualBroker implements VirtualPeer {

    /** Answers a request; null for no answer. */
    interface Handler {
        ApiMessage answer(ApiKeys api, short version, ApiMessage request);
    }

    private final int id;
    private final HostPort address;
    private final VirtualNetwork network;
    private final Handler cluster;
    private final Deque<Runnable> whileFrozen = new ArrayDeque<>();
    private final List<ApiKeys> requests = new ArrayList<>();
    private Handler override = (api, version, request) -> null;
    private boolean frozen;
    private boolean dead;
    private boolean cutOff;
    private ApiKeys swallowed;

    VirtualBroker(int id, HostPort address, VirtualNetwork network, Handler cluster) {
        this.id = id;
        this.address = address;
        this.network = network;
        this.cluster = cluster;
        network.listen(address, this);
    }

    int id() {
        return id;
    }

    HostPort address() {
        return address;
    }

    /** As {@code kill -STOP} does: the kernel goes on to accept and to keep what comes. */
    void freeze() {
        frozen = true;
    }

    /** As {@code kill -CONT} does: what was kept is dealt with. */
    void thaw() {
        frozen = false;
        while (!whileFrozen.isEmpty()) {
            whileFrozen.poll().run();
        }
    }

    /** As {@code kill -KILL} does. */
    void kill() {
        dead = true;
        whileFrozen.clear();
        network.reset(this);
    }

    void start() {
        dead = false;
    }

    /** As a black hole does: nothing comes through. */
    void cutOff(boolean yes) {
        cutOff = yes;
    }

    /** Deals with requests of an API, and never answers them. */
    void swallowAnswersTo(ApiKeys api) {
        swallowed = api;
    }

    /** Asks this one first. */
    void override(Handler handler) {
        override = handler;
    }

    void noOverride() {
        override = (api, version, request) -> null;
    }

    /** The requests that were dealt with. */
    List<ApiKeys> requests() {
        return requests;
    }

    @Override
    public boolean refuses() {
        return dead;
    }

    @Override
    public boolean isCutOff() {
        return cutOff;
    }

    @Override
    public void receive(VirtualLink from, ByteBuffer frame) {
        if (dead) {
            return;
        }
        if (frozen) {
            whileFrozen.add(() -> dealWith(from, frame));
        } else {
            dealWith(from, frame);
        }
    }

    private void dealWith(VirtualLink from, ByteBuffer frame) {
        RequestHeader header = RequestHeader.parse(frame);
        ApiKeys api = header.apiKey();
        short version = header.apiVersion();
        requests.add(api);
        ApiMessage request = api.messageType.newRequest();
        request.read(new ByteBufferAccessor(frame), version);
        ApiMessage response = override.answer(api, version, request);
        if (response == null) {
            response = api == ApiKeys.API_VERSIONS ? versions() : cluster.answer(api, version, request);
        }
        if (response != null && api != swallowed) {
            from.answer(encoded(header, response));
        }
    }

    /** Ends a link as an idle broker does. */
    void closeLinks() {
        network.reset(this);
    }

    private static ByteBuffer encoded(RequestHeader header, ApiMessage response) {
        short headerVersion = header.apiKey().responseHeaderVersion(header.apiVersion());
        ByteBuffer head = MessageUtil.toByteBufferAccessor(
                        new ResponseHeaderData().setCorrelationId(header.correlationId()), headerVersion)
                .buffer();
        ByteBuffer body =
                MessageUtil.toByteBufferAccessor(response, header.apiVersion()).buffer();
        return ByteBuffer.allocate(head.remaining() + body.remaining())
                .put(head)
                .put(body)
                .flip();
    }

    private static ApiVersionsResponseData versions() {
        ApiVersionsResponseData response = new ApiVersionsResponseData();
        for (ApiKeys api : List.of(
                ApiKeys.API_VERSIONS,
                ApiKeys.METADATA,
                ApiKeys.INIT_PRODUCER_ID,
                ApiKeys.PRODUCE,
                ApiKeys.FETCH,
                ApiKeys.DESCRIBE_PRODUCERS)) {
            response.apiKeys()
                    .add(new ApiVersion()
                            .setApiKey(api.id)
                            .setMinVersion(api.oldestVersion())
                            .setMaxVersion(api.latestVersion()));
        }
        return response;
    }
}
