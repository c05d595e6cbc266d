package io.faultline.client.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.watchdog.MonotonicClock;
import io.faultline.client.watchdog.Trips;
import io.faultline.client.watchdog.Watchdog;
import io.faultline.client.watchdog.Watchdogs;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a broker that has stopped reading gets to see of a connection that was given up meanwhile. */
class ConnectionEndTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final short NEWEST_WITH_NAMES = 9;
    private static final int SMALL_BUFFER = 8 << 10;

    private ServerSocket broker;
    private EventLoop loop;
    private Network network;

    @BeforeEach
    void start() throws IOException {
        broker = new ServerSocket();
        broker.setReceiveBufferSize(SMALL_BUFFER); // the client's kernel has to keep most of what is sent
        broker.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Sockets sockets = Sockets.open();
        Watchdogs watchdogs = new Watchdogs(
                MonotonicClock.system(), new Trips("test", Runnable::run), EnumSet.noneOf(Watchdog.class));
        loop = new EventLoop("test-loop", sockets.poller(), watchdogs);
        network = new Network(
                loop,
                sockets.dialer(new SocketConfig(-1, -1, 1 << 20), loop, Runnable::run, null),
                Sockets.resolver("test-resolver", loop),
                new ConnectConfig("test", PATIENCE, PATIENCE, PATIENCE, PATIENCE, PATIENCE),
                List.of(new HostPort("127.0.0.1", broker.getLocalPort())),
                new Random());
        loop.start(cause -> sockets.poller().close());
    }

    @AfterEach
    void stop() throws IOException {
        loop.execute(() -> {
            network.close("the test ends");
            loop.stop();
        });
        broker.close();
    }

    @Test
    void aRequestThatTimedOutDoesNotReachTheBrokerLater() throws Exception {
        try (Socket connection = connect()) {
            CompletableFuture<CallFailure> failure = call(ApiKeys.OFFSET_COMMIT, aLargeCommit(), SHORT);
            assertThat(failure.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).inDoubt())
                    .isTrue();
            assertThatThrownBy(() -> frame(connection))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
    }

    @Test
    void aRequestWhoseConnectionIsCondemnedDoesNotReachTheBrokerLater() throws Exception {
        try (Socket connection = connect()) {
            CompletableFuture<CallFailure> failure = call(ApiKeys.OFFSET_COMMIT, aLargeCommit(), PATIENCE);
            awaitFirstByte(connection);
            loop.execute(() -> network.condemn(peer(), new IOException("the test condemns it")));
            assertThat(failure.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).inDoubt())
                    .isTrue();
            assertThatThrownBy(() -> frame(connection))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
    }

    @Test
    void whatAClientAskedBeforeItWasClosedStillReachesTheBroker() throws Exception {
        try (Socket connection = connect()) {
            CompletableFuture<CallFailure> failure =
                    call(ApiKeys.LEAVE_GROUP, new LeaveGroupRequestData().setGroupId("g"), PATIENCE);
            awaitFirstByte(connection);
            loop.execute(() -> network.close("the test closes it"));
            assertThat(failure.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).reason())
                    .isEqualTo(CallFailure.Reason.CLOSED);
            assertThat(ByteBuffer.wrap(frame(connection)).getShort()).isEqualTo(ApiKeys.LEAVE_GROUP.id);
            assertThatThrownBy(() -> frame(connection)).isInstanceOf(EOFException.class);
        }
    }

    private PeerId peer() {
        return network.bootstrapPeers().get(0);
    }

    private CompletableFuture<CallFailure> call(ApiKeys api, ApiMessage request, Duration timeout) {
        CompletableFuture<CallFailure> failed = new CompletableFuture<>();
        Call call = Call.of(api, version -> request, timeout, new Call.Handler<>() {
            @Override
            public void onResponse(ApiMessage response, short version) {
                failed.completeExceptionally(new AssertionError("there is an answer: " + response));
            }

            @Override
            public void onFailure(CallFailure failure) {
                failed.complete(failure);
            }
        });
        loop.execute(() -> network.call(peer(), call));
        return failed;
    }

    /** More than the kernels of both sides keep for one connection. */
    private static OffsetCommitRequestData aLargeCommit() {
        String metadata = "m".repeat(30_000);
        return new OffsetCommitRequestData()
                .setGroupId("g")
                .setTopics(List.of(new OffsetCommitRequestTopic()
                        .setName("t")
                        .setPartitions(IntStream.range(0, 500)
                                .mapToObj(partition -> new OffsetCommitRequestPartition()
                                        .setPartitionIndex(partition)
                                        .setCommittedOffset(242)
                                        .setCommittedMetadata(metadata))
                                .toList())));
    }

    /** Has the client connect, tells it which versions there are, and reads no more. */
    private Socket connect() throws IOException {
        loop.execute(() -> network.connect(peer()));
        Socket connection = broker.accept();
        connection.setSoTimeout((int) PATIENCE.toMillis());
        ByteBuffer request = ByteBuffer.wrap(frame(connection)).position(Short.BYTES);
        short version = request.getShort();
        int correlationId = request.getInt();
        ApiVersionCollection versions = new ApiVersionCollection();
        for (ApiKeys api : List.of(ApiKeys.API_VERSIONS, ApiKeys.OFFSET_COMMIT, ApiKeys.LEAVE_GROUP)) {
            versions.add(new ApiVersion()
                    .setApiKey(api.id)
                    .setMinVersion(api.oldestVersion())
                    .setMaxVersion(api == ApiKeys.OFFSET_COMMIT ? NEWEST_WITH_NAMES : api.latestVersion()));
        }
        answer(connection, correlationId, new ApiVersionsResponseData().setApiKeys(versions), version);
        await().atMost(PATIENCE).until(() -> onLoop(() -> network.isReady(peer())));
        return connection;
    }

    private <T> T onLoop(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loop.execute(() -> answer.complete(question.get()));
        return answer.join();
    }

    private static void answer(Socket connection, int correlationId, ApiMessage body, short version)
            throws IOException {
        ByteBuffer header = MessageUtil.toByteBufferAccessor(
                        new ResponseHeaderData().setCorrelationId(correlationId), (short) 0)
                .buffer();
        ByteBuffer content = MessageUtil.toByteBufferAccessor(body, version).buffer();
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + header.remaining() + content.remaining());
        frame.putInt(header.remaining() + content.remaining()).put(header).put(content);
        connection.getOutputStream().write(frame.array());
    }

    private static void awaitFirstByte(Socket connection) throws IOException {
        InputStream in = connection.getInputStream();
        await().atMost(PATIENCE).until(() -> in.available() > 0);
    }

    private static byte[] frame(Socket connection) throws IOException {
        DataInputStream in = new DataInputStream(connection.getInputStream());
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        return frame;
    }
}
