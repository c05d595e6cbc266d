package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many clients at once, against a broker in a process of 256 MiB. */
class HostileCrowdIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Of each kind five a minute from each network thread. */
    private static final int LINES_OF_A_STORM = 50;

    @TempDir
    Path scratch;

    private final List<Closeable> crowd = new ArrayList<>();

    @AfterEach
    void disperse() throws IOException {
        for (Closeable one : crowd) {
            one.close();
        }
    }

    @Test
    void requestsThatClaimMuchAndSendLittleGetLittleMemory() throws Exception {
        try (BrokerProcess broker = start()) {
            String address = broker.awaitReady("PLAINTEXT");
            for (int count = 0; count < 500; count++) {
                connect(address).getOutputStream().write(claim(100 << 20, 1_000));
            }
            assertServes(broker, address);
            assertThat(broker.err()).doesNotContain("OutOfMemoryError");
        }
    }

    @Test
    void requestsThatComeInForeverAreClosedWhereMemoryIsScarce() throws Exception {
        try (BrokerProcess broker = start()) {
            String address = broker.awaitReady("PLAINTEXT");
            byte[] much = claim(100 << 20, 2 << 20);
            for (int count = 0; count < 200; count++) {
                connect(address).getOutputStream().write(much);
            }
            assertServes(broker, address);
            assertThat(broker.err())
                    .contains("there is no more memory for requests (queued.max.request.bytes)")
                    .doesNotContain("OutOfMemoryError");
            assertThat(broker.err().lines()).hasSizeLessThan(LINES_OF_A_STORM);
        }
    }

    private static byte[] claim(int size, int sent) {
        return ByteBuffer.allocate(Integer.BYTES + sent).putInt(size).array();
    }

    @Test
    void aThousandIdleConnectionsTakeNoThreads() throws Exception {
        try (BrokerProcess broker = start()) {
            String address = broker.awaitReady("PLAINTEXT");
            assertServes(broker, address);
            long threads = broker.count("task");
            for (int count = 0; count < 1_000; count++) {
                connect(address);
            }
            assertServes(broker, address);
            // The JVM's own compilers and collectors come and go.
            assertThat(broker.count("task")).isLessThan(threads + 20);
        }
    }

    @Test
    void connectionsThatComeAndGoLeaveNoDescriptors() throws Exception {
        try (BrokerProcess broker = start()) {
            String address = broker.awaitReady("PLAINTEXT");
            assertServes(broker, address);
            long descriptors = broker.count("fd");
            for (int count = 0; count < 2_000; count++) {
                Socket socket = connect(address);
                // With a reset, so that the ports of this machine are free again.
                socket.setSoLinger(true, 0);
                if (count % 2 == 0) {
                    socket.getOutputStream().write(claim(-1, 0));
                }
                socket.close();
                crowd.clear();
            }
            assertServes(broker, address);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.count("fd")).isLessThanOrEqualTo(descriptors));
            assertThat(broker.err().lines()).hasSizeLessThan(LINES_OF_A_STORM);
        }
    }

    @Test
    void aBrokerWithoutDescriptorsGoesOnAndAcceptsWhenThereAreSome() throws Exception {
        int most = 200;
        try (BrokerProcess broker = BrokerProcess.withDescriptors(scratch, most, arguments())) {
            String address = broker.awaitReady("PLAINTEXT");
            await().atMost(PATIENCE).untilAsserted(() -> {
                for (int count = 0; count < 50; count++) {
                    connectOrWait(address);
                }
                assertThat(broker.err()).contains("Accepting a connection failed");
            });
            disperse();
            assertServes(broker, address);
            assertThat(broker.err()).doesNotContain("is offline");
            assertThat(broker.err().lines()).hasSizeLessThan(LINES_OF_A_STORM);
        }
    }

    @Test
    void aClientThatSpeaksNoTlsIsOneLine() throws Exception {
        String[] tls = {
            "--listeners=SSL://127.0.0.1:0",
            "--log.dirs=" + scratch.resolve("data"),
            "--generate-tls=" + scratch.resolve("tls")
        };
        try (BrokerProcess broker = BrokerProcess.start(scratch, tls);
                RawClient client = new RawClient(broker.awaitReady("SSL"))) {
            client.sendBytes("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.bytesUntilClosed();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.err().lines().filter(line -> line.contains("WARN")))
                            .singleElement()
                            .asString()
                            .contains("Refused", "SSL handshake failed"));
        }
    }

    private BrokerProcess start() throws IOException {
        return BrokerProcess.start(scratch, arguments());
    }

    private String[] arguments() {
        return new String[] {"--listeners=PLAINTEXT://127.0.0.1:0", "--log.dirs=" + scratch.resolve("data")};
    }

    private Socket connect(String address) throws IOException {
        Socket socket = new Socket();
        crowd.add(socket);
        socket.connect(socketAddress(address));
        return socket;
    }

    /** Connects where there is room in the backlog, at least. */
    private void connectOrWait(String address) throws IOException {
        Socket socket = new Socket();
        crowd.add(socket);
        try {
            socket.connect(socketAddress(address), 20);
        } catch (SocketTimeoutException full) {
            socket.close();
        }
    }

    private static InetSocketAddress socketAddress(String address) {
        int colon = address.lastIndexOf(':');
        return new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    private static void assertServes(BrokerProcess broker, String address) throws Exception {
        try (RawClient client = new RawClient(address)) {
            assertThat(client.call(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData(), ApiVersionsResponseData.class)
                            .errorCode())
                    .isZero();
        }
        TopicPartition partition = new TopicPartition("bystander", 0);
        Clients.plaintext(address).produce(partition, 10, 1_000);
        assertThat(Clients.plaintext(address).consume(partition, 10)).hasSizeGreaterThanOrEqualTo(10);
        assertThat(broker.out().lines()).hasSize(1);
    }
}
