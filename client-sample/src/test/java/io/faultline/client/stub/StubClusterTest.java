package io.faultline.client.stub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.tls.GeneratedTls;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** That the stub brokers are brokers: the real Java client is at home with them. */
@Timeout(120)
class StubClusterTest {

    private static final Duration POLL = Duration.ofMillis(100);

    private StubCluster cluster;

    @AfterEach
    void close() throws IOException {
        cluster.close();
    }

    @Test
    void theJavaProducerIsServedByTheLeaders() throws Exception {
        cluster = StubCluster.plaintext(2).topic("t", 1, 2);
        try (KafkaProducer<String, String> producer = producer()) {
            producer.send(new ProducerRecord<>("t", 0, null, "zero")).get(60, TimeUnit.SECONDS);
            producer.send(new ProducerRecord<>("t", 1, null, "one")).get(60, TimeUnit.SECONDS);
        }

        assertThat(cluster.partition("t", 0).values()).containsExactly("zero");
        assertThat(cluster.partition("t", 1).values()).containsExactly("one");
        assertThat(cluster.requests(ApiKeys.PRODUCE))
                .extracting(StubRequest::node)
                .containsExactly(1, 2);
    }

    @Test
    void theJavaConsumerReadsAndCommitsInAGroup() throws Exception {
        cluster = StubCluster.plaintext(2).topic("t", 2);
        produce("a", "b");
        Map<String, Object> configuration = configuration();
        configuration.put("group.id", "g");
        configuration.put("auto.offset.reset", "earliest");
        configuration.put("enable.auto.commit", false);
        List<String> got = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(configuration, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("t"));
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                consumer.poll(POLL).forEach(record -> got.add(record.value()));
                return got.size() == 2;
            });
            consumer.commitSync(Duration.ofSeconds(60));
        }

        assertThat(got).containsExactly("a", "b");
        assertThat(cluster.committed("t", 0)).isEqualTo(2);
    }

    @Test
    void theJavaProducerIsServedOverTls(@TempDir Path folder) throws Exception {
        GeneratedTls certificates = GeneratedTls.in(folder);
        cluster = StubCluster.tls(1, context(certificates.serverProperties())).topic("t", 1);
        Map<String, Object> configuration = configuration();
        configuration.putAll(certificates.clientProperties());
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(configuration, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>("t", "sealed")).get(60, TimeUnit.SECONDS);
        }

        assertThat(cluster.partition("t", 0).values()).containsExactly("sealed");
    }

    private static SSLContext context(Map<String, String> server) throws Exception {
        char[] password = server.get("ssl.keystore.password").toCharArray();
        KeyStore keys = KeyStore.getInstance(new File(server.get("ssl.keystore.location")), password);
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    @Test
    void aBatchThatComesASecondTimeIsNotAppendedAgain() throws Exception {
        cluster = StubCluster.plaintext(1).topic("t", 1);
        cluster.script().next(ApiKeys.PRODUCE, 1, new Reply.DoAndClose());

        produce("once");

        assertThat(cluster.requests(ApiKeys.PRODUCE)).hasSize(2);
        assertThat(cluster.partition("t", 0).values()).containsExactly("once");
    }

    @Test
    void aRequestThatIsHeldIsAnsweredWhenTheGateOpens() throws Exception {
        cluster = StubCluster.plaintext(1).topic("t", 1);
        CompletableFuture<Void> gate = new CompletableFuture<>();
        cluster.script().next(ApiKeys.PRODUCE, 1, new Reply.Hold(gate));
        try (KafkaProducer<String, String> producer = producer()) {
            Future<RecordMetadata> sent = producer.send(new ProducerRecord<>("t", "held"));
            cluster.await(ApiKeys.PRODUCE, 1);
            assertThatThrownBy(() -> sent.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);

            gate.complete(null);

            assertThat(sent.get(60, TimeUnit.SECONDS).offset()).isZero();
        }
    }

    @Test
    void aBrokerThatStoppedRefusesAndStartsOnItsPortAgain() throws Exception {
        cluster = StubCluster.plaintext(1).topic("t", 1);
        int port = cluster.node(1).port();

        cluster.node(1).stop();

        assertThatThrownBy(() -> new Socket("127.0.0.1", port).close()).isInstanceOf(IOException.class);
        cluster.node(1).start();
        produce("back");
        assertThat(cluster.partition("t", 0).values()).containsExactly("back");
    }

    @Test
    void garbageIsSentAsItIs() throws Exception {
        cluster = StubCluster.plaintext(1);
        byte[] alert = {21, 3, 3, 0, 2, 2, 40};
        cluster.script().always(ApiKeys.API_VERSIONS, new Reply.Garbage(alert));
        try (Socket socket = new Socket("127.0.0.1", cluster.node(1).port())) {
            socket.getOutputStream().write(apiVersionsOfVersionZero());

            byte[] answer = new DataInputStream(socket.getInputStream()).readNBytes(alert.length);

            assertThat(answer).isEqualTo(alert);
        }
    }

    @Test
    void connectionsAreCounted() throws Exception {
        cluster = StubCluster.plaintext(1);
        try (Socket socket = new Socket("127.0.0.1", cluster.node(1).port())) {
            await().atMost(Duration.ofSeconds(60)).until(() -> cluster.openConnections() == 1);
            assertThat(socket.isConnected()).isTrue();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> cluster.openConnections() == 0);
    }

    private void produce(String... values) throws Exception {
        try (KafkaProducer<String, String> producer = producer()) {
            for (String value : values) {
                producer.send(new ProducerRecord<>("t", value)).get(60, TimeUnit.SECONDS);
            }
        }
    }

    private KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(configuration(), new StringSerializer(), new StringSerializer());
    }

    private Map<String, Object> configuration() {
        return new HashMap<>(Map.of("bootstrap.servers", cluster.bootstrap()));
    }

    private static byte[] apiVersionsOfVersionZero() {
        byte[] client = "raw".getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + 10 + client.length)
                .putInt(10 + client.length)
                .putShort(ApiKeys.API_VERSIONS.id)
                .putShort((short) 0)
                .putInt(1)
                .putShort((short) client.length)
                .put(client)
                .array();
    }
}
