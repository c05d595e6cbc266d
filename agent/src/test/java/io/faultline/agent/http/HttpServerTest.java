package io.faultline.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server among clients of every kind: whatever they do, it answers the next one. */
class HttpServerTest {

    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration DEADLINE = Duration.ofMinutes(2);
    private static final int BIG = 6 << 20;

    private final AtomicInteger made = new AtomicInteger();
    private HttpServer server;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.open(LOOPBACK, 0, DEADLINE, request -> switch (request.path()) {
            case "/fails" -> throw new IllegalStateException("no page");
            case "/big" -> Response.page("text/plain", "x".repeat(BIG));
            default -> Response.page("text/plain", "page " + made.incrementAndGet() + " " + request);
        });
    }

    @AfterEach
    void close() throws InterruptedException {
        server.close();
        server.awaitEnd();
    }

    @Test
    void aPageIsMadeForEachRequest() throws IOException {
        assertThat(get("/a")).startsWith("HTTP/1.1 200 OK\r\n").contains("page 1 ");
        assertThat(get("/a")).contains("page 2 ");
    }

    @Test
    void thePageIsToldPathAndWhatTheClientAccepts() throws IOException {
        assertThat(RawClient.ask(server.port(), "GET /a?b=c HTTP/1.1\r\nhost: x\r\naCCept:  text/html \r\n\r\n"))
                .contains("Request[method=GET, path=/a, accept=text/html]");
    }

    @Test
    void anAnswerToHeadHasNoBodyButItsLength() throws IOException {
        assertThat(RawClient.ask(server.port(), "HEAD /big HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("Content-Length: " + BIG + "\r\n")
                .endsWith("\r\n\r\n");
    }

    @Test
    void everyAnswerKeepsTheBrowserFromDoingAnythingWithIt() throws IOException {
        for (String path : List.of("/a", "/fails")) {
            assertThat(get(path))
                    .contains("\r\nContent-Security-Policy: default-src 'none';")
                    .contains("\r\nX-Content-Type-Options: nosniff\r\n")
                    .contains("\r\nX-Frame-Options: DENY\r\n")
                    .contains("\r\nReferrer-Policy: no-referrer\r\n")
                    .contains("\r\nCache-Control: no-store\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "X"})
    void nothingButReadingIsAllowed(String method) throws IOException {
        assertThat(RawClient.ask(server.port(), method + " / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"))
                .startsWith("HTTP/1.1 405 Method Not Allowed\r\n")
                .contains("\r\nAllow: GET, HEAD\r\n");
        assertThat(made).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET\r\n\r\n",
                "GET /\r\n\r\n",
                "GET / HTTP/2.0\r\n\r\n",
                "GET  / HTTP/1.1\r\n\r\n",
                "GET http://x/ HTTP/1.1\r\n\r\n",
                "\r\n\r\n",
                "\n\n",
                "\0\1\2\r\n\r\n"
            })
    void whatIsNoRequestIsRefused(String request) throws IOException {
        assertThat(RawClient.ask(server.port(), request)).startsWith("HTTP/1.1 400 Bad Request\r\n");
        assertThat(get("/a")).contains("page 1 ");
    }

    @Test
    void aPageThatCannotBeMadeIsAnErrorAndTheNextRequestIsServed() throws IOException {
        assertThat(get("/fails"))
                .startsWith("HTTP/1.1 500 Internal Server Error\r\n")
                .contains("no page");
        assertThat(get("/a")).contains("page 1 ");
    }

    @Test
    void aRequestInPiecesIsServed() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            for (char c : "GET /a HTTP/1.1\r\nHost: x\r\n\r\n".toCharArray()) {
                client.send(String.valueOf(c));
            }
            assertThat(client.answer()).contains("page 1 ");
        }
    }

    @Test
    void aHugeRequestIsRefusedAndTheAnswerArrives() throws IOException {
        String answer =
                RawClient.ask(server.port(), "GET /" + "a".repeat(4 * Connection.LONGEST_HEAD) + " HTTP/1.1\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 431 Request Header Fields Too Large\r\n");
        assertThat(made).hasValue(0);
    }

    @Test
    void aBodyWithoutEndIsNotReadForLong() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            client.send("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n");
            byte[] chunk = new byte[1 << 20];
            assertThatIOException().as("the server hangs up").isThrownBy(() -> {
                while (true) {
                    client.send(chunk);
                }
            });
        }
        assertThat(get("/a")).contains("page 1 ");
    }

    @Test
    void aRequestThatDoesNotComeIsGivenUp() throws IOException {
        Page page = request -> Response.line(Status.OK, "page");
        try (HttpServer impatient = HttpServer.open(LOOPBACK, 0, Duration.ofSeconds(1), page);
                RawClient late = new RawClient(impatient.port())) {
            late.send("GET / HT");
            assertThat(late.answer()).as("the server hangs up").isEmpty();
            assertThat(RawClient.get(impatient.port(), "/")).endsWith("page\n");
        }
    }

    @Test
    void besideTwoHundredIdleConnectionsItAnswers() throws IOException {
        List<RawClient> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                idle.add(new RawClient(server.port()));
            }
            assertThat(get("/a")).contains("page 1 ");
            idle.get(0).send("GET /b HTTP/1.1\r\n\r\n");
            assertThat(idle.get(0).answer()).contains("path=/b");
        } finally {
            close(idle);
        }
    }

    @Test
    void oneConnectionTooManyTakesThePlaceOfTheOldest() throws IOException {
        List<RawClient> idle = new ArrayList<>();
        try {
            for (int i = 0; i < HttpServer.MOST_CONNECTIONS; i++) {
                idle.add(new RawClient(server.port()));
            }
            assertThat(get("/a")).contains("page 1 ");
            assertThat(idle.get(0).answer()).isEmpty();
            idle.get(HttpServer.MOST_CONNECTIONS - 1).send("GET /b HTTP/1.1\r\n\r\n");
            assertThat(idle.get(HttpServer.MOST_CONNECTIONS - 1).answer()).contains("path=/b");
        } finally {
            close(idle);
        }
    }

    @Test
    void answersThatNobodyReadsAreLetGoOf() throws IOException {
        List<RawClient> deaf = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                deaf.add(RawClient.slow(server.port()).send("GET /big HTTP/1.1\r\n\r\n"));
            }
            assertThat(get("/a")).contains("page 1 ");
            int whole = 0;
            for (RawClient client : deaf) {
                whole += client.answer().length() > BIG ? 1 : 0;
            }
            assertThat(whole).as("answers that were kept").isEqualTo(1);
        } finally {
            close(deaf);
        }
    }

    @Test
    void noiseDoesNotEndIt() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 300; i++) {
            byte[] noise = new byte[random.nextInt(600)];
            random.nextBytes(noise);
            try (RawClient client = new RawClient(server.port())) {
                client.send(noise);
                if (random.nextBoolean()) {
                    client.send("\r\n\r\n");
                }
            }
        }
        assertThat(get("/a")).contains("page 1 ");
    }

    @Test
    void itRunsOnOneThread() throws IOException {
        get("/a");
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("faultline-http")))
                .hasSize(1);
    }

    @Test
    void aPortInUseIsRefused() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
            assertThatIOException().isThrownBy(() -> HttpServer.open(LOOPBACK, taken.getLocalPort(), request -> null));
        }
    }

    @Test
    void aHostThatDoesNotExistIsRefused() {
        assertThatIOException()
                .isThrownBy(() -> HttpServer.open("[nowhere", 0, request -> null))
                .withMessageContaining("[nowhere");
    }

    @Test
    void behindTheEndPortAndConnectionsAreClosed() throws Exception {
        try (RawClient idle = new RawClient(server.port())) {
            await().atMost(PATIENCE).until(() -> get("/a").contains("200 OK")); // so the other one is accepted too
            server.close();
            server.awaitEnd();

            assertThat(idle.answer()).isEmpty();
            assertThatIOException()
                    .isThrownBy(() -> new Socket(LOOPBACK, server.port()).close())
                    .isInstanceOf(ConnectException.class);
        }
    }

    private String get(String path) throws IOException {
        return RawClient.get(server.port(), path);
    }

    private static void close(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }
}
