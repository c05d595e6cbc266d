package io.faultline.broker.network;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.network.Authenticator;
import org.apache.kafka.common.network.ChannelBuilder;
import org.apache.kafka.common.network.ChannelMetadataRegistry;
import org.apache.kafka.common.network.ConnectionMode;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.network.PlaintextTransportLayer;
import org.apache.kafka.common.network.SslTransportLayer;
import org.apache.kafka.common.network.TransportLayer;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.KafkaPrincipalSerde;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.ssl.SslFactory;

/** Makes the connections of one listener, over the transport layers of kafka-clients. */
final class BoundedChannels implements ChannelBuilder {

    private final RequestMemory memory;
    private final SslFactory ssl;

    /**
     * Makes a builder, which has to be configured.
     *
     * @param protocol PLAINTEXT or SSL
     * @param memory what the requests of all connections take their memory from
     */
    BoundedChannels(SecurityProtocol protocol, RequestMemory memory) {
        this.memory = memory;
        this.ssl = protocol == SecurityProtocol.SSL ? new SslFactory(ConnectionMode.SERVER) : null;
    }

    @Override
    public void configure(Map<String, ?> configs) {
        if (ssl != null) {
            ssl.configure(configs);
        }
    }

    @Override
    public KafkaChannel buildChannel(
            String id, SelectionKey key, int maxRequestBytes, MemoryPool unused, ChannelMetadataRegistry metadata) {
        try {
            return new BoundedChannel(
                    id, transport(id, key, metadata), Anonymous::new, maxRequestBytes, memory, metadata);
        } catch (IOException failure) {
            throw new KafkaException(failure);
        }
    }

    private TransportLayer transport(String id, SelectionKey key, ChannelMetadataRegistry metadata) throws IOException {
        return ssl == null
                ? new PlaintextTransportLayer(key)
                : SslTransportLayer.create(
                        id, key, ssl.createSslEngine(((SocketChannel) key.channel()).socket()), metadata);
    }

    @Override
    public void close() {
        if (ssl != null) {
            ssl.close();
        }
    }

    /** Whoever the transport lets in is let in: there are no users. */
    private static final class Anonymous implements Authenticator {

        @Override
        public void authenticate() {
            // The transport did.
        }

        @Override
        public KafkaPrincipal principal() {
            return KafkaPrincipal.ANONYMOUS;
        }

        @Override
        public Optional<KafkaPrincipalSerde> principalSerde() {
            return Optional.empty();
        }

        @Override
        public boolean complete() {
            return true;
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }
}
