package io.faultline.broker.network;

import java.io.IOException;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.network.Authenticator;
import org.apache.kafka.common.network.ChannelMetadataRegistry;
import org.apache.kafka.common.network.ChannelState;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.TransportLayer;

/** A connection as kafka-clients has it, but for the memory of the request that comes in, see {@link GrowingReceive}. */
final class BoundedChannel extends KafkaChannel {

    private final TransportLayer transport;
    private final int maxRequestBytes;
    private final RequestMemory memory;
    private GrowingReceive incoming;

    BoundedChannel(
            String id,
            TransportLayer transport,
            Supplier<Authenticator> authenticator,
            int maxRequestBytes,
            RequestMemory memory,
            ChannelMetadataRegistry metadata) {
        super(id, transport, authenticator, maxRequestBytes, MemoryPool.NONE, metadata);
        this.transport = transport;
        this.maxRequestBytes = maxRequestBytes;
        this.memory = memory;
    }

    @Override
    public long read() throws IOException {
        if (incoming == null) {
            incoming = new GrowingReceive(maxRequestBytes, id(), memory);
        }
        try {
            return incoming.readFrom(transport);
        } catch (SslAuthenticationException refused) {
            // With TLS 1.3 the peer's refusal comes behind the handshake.
            state(new ChannelState(ChannelState.State.AUTHENTICATION_FAILED, refused, socketDescription()));
            throw refused;
        }
    }

    @Override
    public GrowingReceive currentReceive() {
        return incoming;
    }

    @Override
    public NetworkReceive maybeCompleteReceive() {
        if (incoming == null || !incoming.complete()) {
            return null;
        }
        GrowingReceive whole = incoming;
        incoming = null;
        memory.complete(whole.taken());
        whole.payload().rewind();
        return whole;
    }

    @Override
    public void close() throws IOException {
        if (incoming != null) {
            incoming.close();
            incoming = null;
        }
        super.close();
    }
}
