package io.faultline.bench.outage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.faultline.bench.host.FreePorts;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FrameProxyTest {

    private static final int FRAME = 12;

    private ServerSocket broker;
    private FrameProxy proxy;
    private Socket client;
    private Socket server;

    @BeforeEach
    void connect() throws IOException {
        broker = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        int port = FreePorts.next();
        proxy = new FrameProxy(port, broker.getLocalPort());
        client = new Socket(InetAddress.getLoopbackAddress(), port);
        server = broker.accept();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        proxy.close();
        broker.close();
    }

    @Test
    void framesGoThroughInBothDirections() throws IOException {
        assertThat(answerTo(ApiKeys.METADATA, 1)).isEqualTo(1);
    }

    @Test
    void anEatenAckTakesWhateverFollowsWithIt() throws IOException {
        assertThat(answerTo(ApiKeys.METADATA, 1)).isEqualTo(1);
        proxy.mode(FrameProxy.Mode.EAT_ACKS);
        request(ApiKeys.PRODUCE, 2);
        request(ApiKeys.METADATA, 3);
        respond(2);
        respond(3);
        server.close();

        assertThatThrownBy(this::receive).isInstanceOfAny(EOFException.class, SocketException.class);
    }

    @Test
    void whileAcksAreEatenOtherConnectionsGoOn() throws IOException {
        proxy.mode(FrameProxy.Mode.EAT_ACKS);

        assertThat(answerTo(ApiKeys.FETCH, 1)).isEqualTo(1);
    }

    @Test
    void halfOfAResponseIsHalfOfIt() throws IOException {
        proxy.mode(FrameProxy.Mode.HALVE);
        request(ApiKeys.METADATA, 1);
        respond(1);
        DataInputStream in = new DataInputStream(client.getInputStream());
        assertThat(in.readInt()).isEqualTo(FRAME);
        assertThat(in.readNBytes(FRAME / 2)).hasSize(FRAME / 2);

        proxy.finishAll();

        assertThat(in.read()).isEqualTo(-1);
    }

    @Test
    void aResetIsSeenByTheClient() throws IOException {
        assertThat(answerTo(ApiKeys.METADATA, 1)).isEqualTo(1);

        proxy.resetAll();

        assertThatThrownBy(this::receive).isInstanceOf(SocketException.class);
    }

    private int answerTo(ApiKeys api, int correlationId) throws IOException {
        request(api, correlationId);
        respond(correlationId);
        return receive();
    }

    private void request(ApiKeys api, int correlationId) throws IOException {
        client.getOutputStream()
                .write(ByteBuffer.allocate(Integer.BYTES + FRAME)
                        .putInt(FRAME)
                        .putShort(api.id)
                        .putShort((short) 0)
                        .putInt(correlationId)
                        .array());
        DataInputStream in = new DataInputStream(server.getInputStream());
        assertThat(in.readInt()).isEqualTo(FRAME);
        in.readNBytes(FRAME);
    }

    private void respond(int correlationId) throws IOException {
        server.getOutputStream()
                .write(ByteBuffer.allocate(Integer.BYTES + FRAME)
                        .putInt(FRAME)
                        .putInt(correlationId)
                        .array());
    }

    private int receive() throws IOException {
        DataInputStream in = new DataInputStream(client.getInputStream());
        assertThat(in.readInt()).isEqualTo(FRAME);
        return ByteBuffer.wrap(in.readNBytes(FRAME)).getInt();
    }
}
