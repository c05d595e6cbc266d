package io.faultline.broker;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/** A plaintext connection on which a test decides about every byte. */
final class RawClient implements Closeable {

    private static final int SMALL_RECEIVE_BUFFER = 16 << 10;

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private int correlationId;

    RawClient(String hostAndPort) throws IOException {
        int colon = hostAndPort.lastIndexOf(':');
        // So that a response of some megabytes stays in flight until the test reads it.
        socket.setReceiveBufferSize(SMALL_RECEIVE_BUFFER);
        socket.setSoTimeout(20_000);
        socket.connect(new InetSocketAddress(
                hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1))));
        in = new DataInputStream(socket.getInputStream());
    }

    /** Sends a request and returns the body of its response, whose correlation id and header were checked. */
    ByteBuffer call(ApiKeys api, int version, ByteBuffer body) throws IOException {
        send(api, version, body);
        return receive(api, version);
    }

    <R extends ApiMessage> R call(ApiKeys api, int version, ApiMessage request, Class<R> type) throws IOException {
        return read(call(api, version, bytes(request, version)), version, api, type);
    }

    void send(ApiKeys api, int version, ApiMessage request) throws IOException {
        send(api, version, bytes(request, version));
    }

    private void send(ApiKeys api, int version, ByteBuffer body) throws IOException {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion((short) version)
                .setClientId("raw")
                .setCorrelationId(++correlationId);
        ByteBuffer head = bytes(header, api.requestHeaderVersion((short) version));
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + head.remaining() + body.remaining());
        frame.putInt(head.remaining() + body.remaining()).put(head).put(body);
        sendBytes(frame.array());
    }

    void sendBytes(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    <R extends ApiMessage> R receive(ApiKeys api, int version, Class<R> type) throws IOException {
        return read(receive(api, version), version, api, type);
    }

    private ByteBuffer receive(ApiKeys api, int version) throws IOException {
        return receiveRest(receiveSize(), api, version);
    }

    /** Reads the size before a response: from then on it is known to be in flight. */
    int receiveSize() throws IOException {
        return in.readInt();
    }

    ByteBuffer receiveRest(int size, ApiKeys api, int version) throws IOException {
        byte[] response = new byte[size];
        in.readFully(response);
        ByteBuffer buffer = ByteBuffer.wrap(response);
        if (buffer.getInt() != correlationId) {
            throw new AssertionError("wrong correlation id");
        }
        if (api.responseHeaderVersion((short) version) > 0 && buffer.get() != 0) {
            throw new AssertionError("tagged fields in the header");
        }
        return buffer;
    }

    /** Says how many bytes have come that were not read. */
    int bytesWaiting() throws IOException {
        return in.available();
    }

    /** Says how many bytes come before the broker closes the connection. */
    long bytesUntilClosed() throws IOException {
        long bytes = 0;
        byte[] buffer = new byte[1 << 16];
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                bytes += read;
            }
        } catch (java.net.SocketTimeoutException open) {
            throw new AssertionError("the connection stays open", open);
        } catch (IOException reset) {
            return bytes;
        }
        return bytes;
    }

    static ByteBuffer bytes(ApiMessage message, int version) {
        return MessageUtil.toByteBufferAccessor(message, (short) version).buffer();
    }

    static <R extends ApiMessage> R read(ByteBuffer body, int version, ApiKeys api, Class<R> type) {
        ApiMessage response = api.messageType.newResponse();
        response.read(new ByteBufferAccessor(body), (short) version);
        if (body.hasRemaining()) {
            throw new AssertionError(body.remaining() + " bytes behind the response");
        }
        return type.cast(response);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
