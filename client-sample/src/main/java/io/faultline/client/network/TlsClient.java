package io.faultline.client.network;

import java.io.Closeable;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.common.security.auth.SslEngineFactory;

/** Speaks TLS as a client, by Kafka's {@code ssl.*} keys. */
public final class TlsClient implements Closeable {

    private final SslEngineFactory engines;
    private final String endpointIdentification;
    private final Executor tasks;

    /**
     * Makes a client.
     *
     * @param engines makes engines; configured
     * @param endpointIdentification {@code ssl.endpoint.identification.algorithm}, empty for none
     * @param tasks where the engines' tasks run: they may run a trust manager of the user
     */
    public TlsClient(SslEngineFactory engines, String endpointIdentification, Executor tasks) {
        this.engines = engines;
        this.endpointIdentification = endpointIdentification;
        this.tasks = tasks;
    }

    TlsTransport over(SocketChannel socket, String host, int port, Runnable onTaskDone) {
        SSLEngine engine = engines.createClientSslEngine(host, port, endpointIdentification);
        return new TlsTransport(socket, engine, tasks, onTaskDone);
    }

    @Override
    public void close() {
        Quietly.close(engines);
    }
}
