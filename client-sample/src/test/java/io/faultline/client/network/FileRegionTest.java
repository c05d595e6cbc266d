package io.faultline.client.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.protocol.BatchBuilder;
import io.faultline.client.protocol.FramePart.FileRegion;
import io.faultline.client.protocol.RecordsInFile;
import io.faultline.client.watchdog.MonotonicClock;
import io.faultline.client.watchdog.Trips;
import io.faultline.client.watchdog.Watchdog;
import io.faultline.client.watchdog.Watchdogs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Record batches that go from a file to a broker. */
class FileRegionTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int RECORDS = 700;

    @TempDir
    Path folder;

    private final ExecutorService files = Executors.newSingleThreadExecutor();
    private EmbeddedBroker broker;
    private EventLoop loop;
    private Network network;
    private FileChannel file;

    @BeforeEach
    void start() throws IOException {
        broker = EmbeddedBroker.builder().tls().start();
        broker.topics().create("t", 1);
        file = FileChannel.open(
                folder.resolve("batches"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    @AfterEach
    void stop() throws IOException {
        loop.execute(() -> {
            network.close("the test ends");
            loop.stop();
        });
        files.shutdown();
        file.close();
        broker.close();
    }

    private void connect(boolean tls, Executor executor) throws IOException {
        Sockets sockets = Sockets.open();
        Watchdogs watchdogs = new Watchdogs(
                MonotonicClock.system(), new Trips("test", Runnable::run), EnumSet.noneOf(Watchdog.class));
        loop = new EventLoop("test-loop", sockets.poller(), watchdogs);
        Duration second = Duration.ofSeconds(1);
        String address = tls ? broker.sslBootstrapServers() : broker.bootstrapServers();
        int colon = address.lastIndexOf(':');
        network = new Network(
                loop,
                sockets.dialer(new SocketConfig(-1, -1, 1 << 20), loop, executor, tls ? tls() : null),
                Sockets.resolver("test-resolver", loop),
                new ConnectConfig("test", PATIENCE, PATIENCE, second, second, PATIENCE),
                List.of(new HostPort(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)))),
                new Random());
        loop.start(cause -> sockets.poller().close());
    }

    private TlsClient tls() {
        DefaultSslEngineFactory engines = new DefaultSslEngineFactory();
        Map<String, Object> config = new HashMap<>();
        ConfigDef keys = new ConfigDef();
        SslConfigs.addClientSslSupport(keys);
        config.putAll(keys.parse(broker.clientTlsProperties()));
        engines.configure(config);
        return new TlsClient(engines, "", Runnable::run);
    }

    private FileRegion aBatch() throws IOException {
        BatchBuilder builder = new BatchBuilder(ByteBuffer.allocate(1 << 20), Compression.NONE);
        byte[] value = new byte[1_000];
        for (int index = 0; index < RECORDS; index++) {
            builder.append(0, null, value, new Header[0]);
        }
        ByteBuffer batch = builder.build();
        int size = batch.remaining();
        file.write(batch, 100);
        return new FileRegion(file, folder.resolve("batches").toString(), 100, size);
    }

    private CompletableFuture<Object> produce(FileRegion region, CountDownLatch released) {
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(30_000);
        request.topicData()
                .add(new TopicProduceData()
                        .setName("t")
                        .setPartitionData(List.of(new PartitionProduceData()
                                .setIndex(0)
                                .setRecords(new RecordsInFile(ByteBuffer.allocate(0), region)))));
        CompletableFuture<Object> end = new CompletableFuture<>();
        Call call = Call.of(ApiKeys.PRODUCE, version -> request, PATIENCE, new Call.Handler<ProduceResponseData>() {
                    @Override
                    public void onResponse(ProduceResponseData response, short version) {
                        end.complete(response);
                    }

                    @Override
                    public void onFailure(CallFailure failure) {
                        end.complete(failure);
                    }

                    @Override
                    public void onReleased() {
                        released.countDown();
                    }
                })
                .between(3, 12);
        loop.execute(() -> network.call(network.bootstrapPeers().get(0), call));
        return end;
    }

    private void assertThatItIsInTheLog(boolean tls) throws Exception {
        connect(tls, files);
        CountDownLatch released = new CountDownLatch(1);
        Object end = produce(aBatch(), released).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(end)
                .isInstanceOfSatisfying(
                        ProduceResponseData.class,
                        response -> assertThat(response.responses()
                                        .iterator()
                                        .next()
                                        .partitionResponses()
                                        .get(0)
                                        .errorCode())
                                .isEqualTo(Errors.NONE.code()));
        assertThat(broker.log("t", 0).end().offset()).isEqualTo(RECORDS);
        assertThat(released.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aRegionGoesToTheSocketInPlaintext() throws Exception {
        assertThatItIsInTheLog(false);
    }

    @Test
    void aRegionIsReadAndEncryptedOverTls() throws Exception {
        assertThatItIsInTheLog(true);
    }

    @Test
    void aRegionThatCannotBeReadCondemnsTheConnectionAndTellsWhere() throws Exception {
        connect(false, files);
        FileRegion whole = aBatch();
        FileRegion beyond = new FileRegion(file, whole.name(), whole.position(), whole.size() + 1_000);
        file.truncate(whole.position() + 10);
        file.close();
        CountDownLatch released = new CountDownLatch(1);
        Object end = produce(beyond, released).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(end).isInstanceOfSatisfying(CallFailure.class, failure -> {
            assertThat(failure.reason()).isEqualTo(CallFailure.Reason.DISCONNECTED);
            assertThat(failure.inDoubt()).isTrue();
            assertThat(failure.cause())
                    .isInstanceOfSatisfying(
                            FileSendException.class,
                            sending -> assertThat(sending.region().position()).isEqualTo(whole.position()));
        });
        assertThat(released.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aFileWhoseDiskHangsHoldsUpNeitherTheLoopNorTheEndOfItsConnection() throws Exception {
        CountDownLatch hung = new CountDownLatch(1);
        connect(
                false,
                task -> files.execute(() -> {
                    awaitQuietly(hung);
                    task.run();
                }));
        CountDownLatch released = new CountDownLatch(1);
        CompletableFuture<Object> end = produce(aBatch(), released);
        CountDownLatch turned = new CountDownLatch(1);
        loop.execute(() -> loop.watchdogs().schedule("a look", loop.in(Duration.ofMillis(500)), turned::countDown));
        assertThat(turned.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(end).isNotDone();
        loop.execute(() -> network.condemn(network.bootstrapPeers().get(0), new IOException("the test condemns it")));
        assertThat(end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(CallFailure.class);
        assertThat(released.getCount()).isEqualTo(1); // the file is being read still
        hung.countDown();
        assertThat(released.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
