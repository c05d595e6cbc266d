package io.faultline.bench.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/** A consumer that asks for much, takes the beginning of the answer, and resets the connection: what a killed client looks like to a broker in the middle of a send. */
public final class VanishingClient {

    /** The last version that names topics. */
    private static final short FETCH_VERSION = 12;

    private static final int MUCH = 50 << 20;
    private static final int BEGINNING = 64 << 10;

    /** Small, so that most of the answer is still to be sent when the client goes. */
    private static final int RECEIVE_BUFFER = 4 << 10;

    private VanishingClient() {}

    /**
     * Connects, fetches from the beginning of a partition, and vanishes.
     *
     * @param address host and port of the partition's leader, a plaintext listener
     * @param partition what to fetch
     * @throws IOException if the connection fails before it is given up
     */
    public static void fetchAndVanish(String address, TopicPartition partition) throws IOException {
        fetchAndVanish(address, partition, 0);
    }

    /**
     * Connects, fetches, and vanishes.
     *
     * @param address host and port of the partition's leader, a plaintext listener
     * @param partition what to fetch
     * @param offset from where on
     * @throws IOException if the connection fails before it is given up
     */
    public static void fetchAndVanish(String address, TopicPartition partition, long offset) throws IOException {
        int colon = address.lastIndexOf(':');
        try (SocketChannel socket = SocketChannel.open()) {
            socket.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
            socket.connect(
                    new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
            ByteBuffer request = fetch(partition, offset);
            ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + request.remaining());
            frame.putInt(request.remaining()).put(request).flip();
            while (frame.hasRemaining()) {
                socket.write(frame);
            }
            ByteBuffer size = ByteBuffer.allocate(Integer.BYTES);
            read(socket, size);
            ByteBuffer beginning =
                    ByteBuffer.allocate(Math.min(BEGINNING, size.flip().getInt()));
            read(socket, beginning); // the broker is in the middle of its send when this ends
            socket.setOption(StandardSocketOptions.SO_LINGER, 0); // closing then resets the connection
        }
    }

    private static void read(SocketChannel socket, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (socket.read(buffer) < 0) {
                throw new EOFException("the broker closes the connection");
            }
        }
    }

    private static ByteBuffer fetch(TopicPartition partition, long offset) {
        FetchRequestData data = new FetchRequestData()
                .setMaxBytes(MUCH)
                .setMinBytes(1)
                .setMaxWaitMs(500)
                .setTopics(List.of(new FetchTopic()
                        .setTopic(partition.topic())
                        .setPartitions(List.of(new FetchPartition()
                                .setPartition(partition.partition())
                                .setFetchOffset(offset)
                                .setPartitionMaxBytes(MUCH)))));
        RequestHeader header = new RequestHeader(ApiKeys.FETCH, FETCH_VERSION, "vanishing", 1);
        return RequestUtils.serialize(header.data(), header.headerVersion(), data, FETCH_VERSION);
    }
}
