package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {

    private final List<RawClient> clients = new ArrayList<>();
    private EmbeddedBroker broker;

    private void start(String key, String value) throws IOException {
        broker = EmbeddedBroker.builder().property(key, value).start();
    }

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        broker.close();
    }

    private RawClient connect() throws IOException {
        RawClient client = new RawClient(broker.bootstrapServers());
        clients.add(client);
        return client;
    }

    private static void assertServed(RawClient client) throws IOException {
        ask(client);
        assertThat(client.receive(ApiKeys.API_VERSIONS, 0, ApiVersionsResponseData.class)
                        .errorCode())
                .isZero();
    }

    private static void ask(RawClient client) throws IOException {
        client.send(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData());
    }

    @Test
    void connectionsBeyondThoseOfOneAddressAreClosed() throws IOException {
        start("max.connections.per.ip", "2");
        RawClient first = connect();
        assertServed(first);
        assertServed(connect());
        assertThat(connect().bytesUntilClosed()).isZero();
        assertServed(first);
    }

    @Test
    void connectionsBeyondAllWaitUntilOneGoes() throws IOException {
        start("max.connections", "2");
        RawClient first = connect();
        assertServed(first);
        assertServed(connect());
        RawClient waiting = connect();
        ask(waiting);
        assertThat(waiting.bytesWaiting()).isZero();
        first.close();
        assertThat(waiting.receive(ApiKeys.API_VERSIONS, 0, ApiVersionsResponseData.class)
                        .errorCode())
                .isZero();
    }

    @Test
    void connectionsBeyondTheRateAreServedLater() throws IOException {
        start("max.connection.creation.rate", "2");
        for (int count = 0; count < 5; count++) {
            assertServed(connect());
        }
    }

    @Test
    void anIdleConnectionIsClosed() throws IOException {
        start("connections.max.idle.ms", "100");
        RawClient idle = connect();
        assertServed(idle);
        assertThat(idle.bytesUntilClosed()).isZero();
    }

    @Test
    void halfARequestIsIdleToo() throws IOException {
        start("connections.max.idle.ms", "100");
        RawClient half = connect();
        half.sendBytes(new byte[] {0, 0, 1, 0, 0});
        assertThat(half.bytesUntilClosed()).isZero();
    }

    @Test
    void onlyTheLoopbackIsListenedOnUnlessToldOtherwise() throws IOException {
        start("node.id", "1");
        int port = Integer.parseInt(broker.bootstrapServers().replaceAll(".*:", ""));
        for (InetAddress address : otherAddresses()) {
            assertThatThrownBy(() -> {
                        try (Socket socket = new Socket()) {
                            socket.connect(new InetSocketAddress(address, port), 5_000);
                        }
                    })
                    .as(address.toString())
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
        assertServed(connect());
    }

    /** Such as 127.0.0.2, which every Linux has, and those of the network where there is one. */
    private static List<InetAddress> otherAddresses() throws IOException {
        List<InetAddress> addresses = new ArrayList<>(List.of(InetAddress.getByName("127.0.0.2")));
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .forEach(addresses::add);
        return addresses;
    }
}
