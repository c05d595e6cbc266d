package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.client.watchdog.Watchdog;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Peers on real sockets that are not what they should be. */
class WireTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Does something to each connection, and counts them; a connection ends when that returns. */
    private static final class Peer implements AutoCloseable {

        private interface Behaviour {
            void meet(Socket client) throws IOException;
        }

        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final AtomicInteger met = new AtomicInteger();
        private final Set<Integer> seenOff = ConcurrentHashMap.newKeySet();

        private Peer(Behaviour behaviour) throws IOException {
            Thread thread = new Thread(
                    () -> {
                        while (!server.isClosed()) {
                            try {
                                Socket client = server.accept();
                                int number = met.incrementAndGet();
                                Thread each = new Thread(() -> meet(behaviour, client, number), "test-peer-connection");
                                each.setDaemon(true);
                                each.start();
                            } catch (IOException closed) {
                                return;
                            }
                        }
                    },
                    "test-peer");
            thread.setDaemon(true);
            thread.start();
        }

        private void meet(Behaviour behaviour, Socket client, int number) {
            try (client) {
                behaviour.meet(client);
                client.shutdownOutput();
                seenOff.add(number);
            } catch (IOException gone) {
                seenOff.add(number);
            }
        }

        /** Whether the first connection has ended, beside which the client makes others. */
        private boolean isFirstSeenOff() {
            return seenOff.contains(1);
        }

        private String address() {
            return "127.0.0.1:" + server.getLocalPort();
        }

        @Override
        public void close() {
            try {
                server.close();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    /** Reads until the client closes. */
    private static void readAll(Socket client) throws IOException {
        byte[] buffer = new byte[1 << 12];
        while (client.getInputStream().read(buffer) >= 0) {
            continue;
        }
    }

    private static void readRequest(Socket client) throws IOException {
        DataInputStream in = new DataInputStream(client.getInputStream());
        in.readNBytes(in.readInt());
    }

    private static Producer<String, String> producer(Map<String, String> connection, String... more) {
        Map<String, String> config = new HashMap<>(connection);
        for (int index = 0; index < more.length; index += 2) {
            config.put(more[index], more[index + 1]);
        }
        return new Producer<>(config, new StringSerializer(), new StringSerializer());
    }

    private static Map<String, String> at(String address) {
        return Map.of(
                "bootstrap.servers",
                address,
                "socket.connection.setup.timeout.ms",
                "500",
                "socket.connection.setup.timeout.max.ms",
                "500",
                "max.block.ms",
                "1000");
    }

    @Test
    void aPeerThatAcceptsAndIsSilentIsLeftWithinTheSetUpTimeout() throws IOException {
        try (Peer silent = new Peer(WireTest::readAll);
                Producer<String, String> producer = producer(at(silent.address()))) {
            Thread sender = sending(producer);
            await().atMost(PATIENCE).until(() -> silent.isFirstSeenOff());
            await().atMost(PATIENCE)
                    .until(() -> producer.runtime().core().trips().count(Watchdog.NEGOTIATE) > 0);
            awaitEndOf(sender);
        }
    }

    @Test
    void aPeerThatSpeaksNoTlsIsLeft() throws IOException {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().tls().start();
                Peer silent = new Peer(WireTest::readAll)) {
            Map<String, String> config = new HashMap<>(broker.clientTlsProperties());
            config.putAll(at(silent.address()));
            try (Producer<String, String> producer = producer(config)) {
                Thread sender = sending(producer);
                await().atMost(PATIENCE).until(() -> silent.isFirstSeenOff());
                awaitEndOf(sender);
            }
        }
    }

    @Test
    void aPeerThatAnswersInHttpIsLeft() throws IOException {
        assertThatItIsLeft(client -> {
            readRequest(client);
            client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            readAll(client);
        });
    }

    @Test
    void aPeerThatAnswersWithATlsAlertIsLeft() throws IOException {
        assertThatItIsLeft(client -> {
            readRequest(client);
            client.getOutputStream().write(new byte[] {0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50});
            readAll(client);
        });
    }

    @Test
    void anUnknownCorrelationIdClosesTheConnection() throws IOException {
        assertThatItIsLeft(client -> {
            readRequest(client);
            client.getOutputStream().write(new byte[] {0, 0, 0, 8, 0, 0, 0, 99, 0, 0, 0, 0});
            readAll(client);
        });
    }

    @Test
    void aTruncatedResponseClosesTheConnection() throws IOException {
        assertThatItIsLeft(client -> {
            readRequest(client);
            client.getOutputStream().write(new byte[] {0, 0, 0, 6, 0, 0, 0, 0, 0, 0});
            readAll(client);
        });
    }

    @Test
    void anEndInsteadOfAResponseIsFollowedByAnotherConnection() throws IOException {
        assertThatItIsLeft(WireTest::readRequest);
    }

    /** By what it says: no watchdog is there to notice. */
    private static void assertThatItIsLeft(Peer.Behaviour behaviour) throws IOException {
        try (Peer peer = new Peer(behaviour);
                Producer<String, String> producer = new Producer<>(
                        at(peer.address()),
                        new StringSerializer(),
                        new StringSerializer(),
                        Wiring.without(Watchdog.NEGOTIATE))) {
            Thread sender = sending(producer);
            await().atMost(PATIENCE).until(() -> peer.isFirstSeenOff() && peer.met.get() > 1);
            awaitEndOf(sender);
        }
    }

    private static Thread sending(Producer<String, String> producer) {
        Thread sender = new Thread(() -> producer.send(new ProducerRecord<>("t", "v")), "test-sender");
        sender.start();
        return sender;
    }

    private static void awaitEndOf(Thread thread) {
        await().atMost(PATIENCE).until(() -> !thread.isAlive());
    }

    @Test
    void aPeerThatCannotBeTrustedIsAnAuthenticationFailureAndNotATimeout() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().tlsOnly().start();
                EmbeddedBroker stranger = EmbeddedBroker.builder().tlsOnly().start()) {
            Map<String, String> config = new HashMap<>(broker.clientTlsProperties());
            config.put("bootstrap.servers", stranger.sslBootstrapServers());
            try (Producer<String, String> producer = producer(config, "max.block.ms", "20000")) {
                Delivery delivery = producer.send(new ProducerRecord<>("t", "v"));
                assertThatThrownBy(() -> delivery.delivered().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(SslAuthenticationException.class);
            }
        }
    }

    @Test
    void anEndInEachStepOfTheHandshakeIsTriedAgain() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().tlsOnly().start()) {
            String address = broker.sslBootstrapServers();
            int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
            AtomicInteger bytes = new AtomicInteger();
            // The broker's side of the handshake is cut behind 0, 40, 80, ... bytes, until it is through.
            try (Peer cut = new Peer(client -> relay(client, port, bytes.getAndAdd(40)))) {
                Map<String, String> config = new HashMap<>(broker.clientTlsProperties());
                config.put("bootstrap.servers", cut.address());
                try (Producer<String, String> producer = producer(config, "reconnect.backoff.max.ms", "50")) {
                    Delivery delivery = producer.send(new ProducerRecord<>("t", "v"));
                    assertThat(delivery.delivered()
                                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                    .offset())
                            .isZero();
                    assertThat(cut.met.get()).isGreaterThan(20);
                }
            }
        }
    }

    private static void relay(Socket client, int port, int bytesBack) throws IOException {
        try (Socket broker = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Thread there = new Thread(
                    () -> {
                        try {
                            client.getInputStream().transferTo(broker.getOutputStream());
                        } catch (IOException ignored) {
                            // One of them has gone.
                        }
                    },
                    "test-relay");
            there.setDaemon(true);
            there.start();
            byte[] buffer = new byte[1];
            for (int left = bytesBack; left > 0 && broker.getInputStream().read(buffer) >= 0; left--) {
                client.getOutputStream().write(buffer);
            }
        }
    }

    @Test
    void aBrokerThatRefusesIsATimeoutOfTheSendNotOfTheConnect() throws Exception {
        int port;
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = reserved.getLocalPort();
        }
        try (Producer<String, String> producer = producer(at("127.0.0.1:" + port), "max.block.ms", "300")) {
            Delivery delivery = producer.send(new ProducerRecord<>("t", "v"));
            assertThatThrownBy(() -> delivery.delivered().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(TimeoutException.class);
        }
    }
}
