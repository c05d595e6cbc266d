package io.faultline.bench.throughput;

import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/** A client that fetches the beginning of every partition of a topic again and again, and throws away what comes: it costs the machine as little beside the broker as a client can. For one thread. */
final class RawFetcher implements AutoCloseable {

    /** The last version that names topics. */
    private static final short FETCH_VERSION = 12;

    /** As much of a partition as a consumer asks for by default. */
    private static final int PARTITION_BYTES = 1 << 20;

    private static final int MOST_BYTES = 50 << 20;
    private static final int BUFFER = 256 << 10;

    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;
    private final byte[] request;
    private final byte[] buffer = new byte[BUFFER];

    private RawFetcher(Socket socket, byte[] request) throws IOException {
        this.socket = socket;
        this.out = socket.getOutputStream();
        this.in = new DataInputStream(socket.getInputStream());
        this.request = request;
    }

    /** Connects as Kafka's properties of a client say, over plaintext or TLS. */
    static RawFetcher connect(Properties client, String topic, int partitions)
            throws IOException, GeneralSecurityException {
        String address = client.getProperty(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, colon);
        int port = Integer.parseInt(address.substring(colon + 1));
        Socket socket = client.containsKey(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG)
                ? tls(client).getSocketFactory().createSocket(host, port)
                : new Socket(host, port);
        return new RawFetcher(socket, fetch(topic, partitions));
    }

    private static SSLContext tls(Properties client) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(client.getProperty(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG));
        try (InputStream store = new FileInputStream(client.getProperty(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG))) {
            trusted.load(
                    store,
                    client.getProperty(SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG)
                            .toCharArray());
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static byte[] fetch(String topic, int partitions) {
        List<FetchPartition> all = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            all.add(new FetchPartition()
                    .setPartition(partition)
                    .setFetchOffset(0)
                    .setPartitionMaxBytes(PARTITION_BYTES));
        }
        FetchRequestData data = new FetchRequestData()
                .setMaxBytes(MOST_BYTES)
                .setMinBytes(1)
                .setMaxWaitMs(500)
                .setTopics(List.of(new FetchTopic().setTopic(topic).setPartitions(all)));
        RequestHeader header = new RequestHeader(ApiKeys.FETCH, FETCH_VERSION, "fetcher", 1);
        ByteBuffer message = RequestUtils.serialize(header.data(), header.headerVersion(), data, FETCH_VERSION);
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + message.remaining());
        frame.putInt(message.remaining()).put(message);
        return frame.array();
    }

    /** Fetches once; returns how many bytes came. */
    long fetch() throws IOException {
        out.write(request);
        out.flush();
        int size = in.readInt();
        for (int left = size; left > 0; ) {
            int read = in.read(buffer, 0, Math.min(left, buffer.length));
            if (read < 0) {
                throw new IOException("the broker closed the connection");
            }
            left -= read;
        }
        return size;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
