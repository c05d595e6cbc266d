package io.faultline.client.stub;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * One broker of a {@link StubCluster}: a port, and two threads for each connection, one that reads and so notices the end of it, one that answers one request after the
 * other.
 */
public final class StubNode {

    private static final int BACKLOG = 200;

    private final StubCluster cluster;
    private final int id;
    private final int port;
    private final SSLContext tls;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile ServerSocket listener;
    private volatile Thread accepting;

    StubNode(StubCluster cluster, int id, SSLContext tls) throws IOException {
        this.cluster = cluster;
        this.id = id;
        this.tls = tls;
        listener = listen(0);
        port = listener.getLocalPort();
        accept();
    }

    private ServerSocket listen(int where) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        return tls == null
                ? new ServerSocket(where, BACKLOG, loopback)
                : tls.getServerSocketFactory().createServerSocket(where, BACKLOG, loopback);
    }

    /**
     * Its number.
     *
     * @return from 1 on
     */
    public int id() {
        return id;
    }

    /**
     * Where it listens.
     *
     * @return the port, which stays the same when it stops and starts again
     */
    public int port() {
        return port;
    }

    /**
     * Where it listens.
     *
     * @return host and port
     */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /**
     * How many clients are connected.
     *
     * @return the number of open connections
     */
    public int connections() {
        return links.size();
    }

    /** Whether a connection, by its number, is one of this broker's and open. */
    boolean isOpen(int connection) {
        return links.stream().anyMatch(link -> link.number == connection);
    }

    /**
     * Stops listening, so that connecting is refused, and closes every connection.
     *
     * @throws IOException if that fails
     */
    public void stop() throws IOException {
        listener.close();
        awaitAccepting();
        closeConnections();
    }

    /** The kernel goes on taking connections for as long as a thread is in an accept of a socket that was closed meanwhile. */
    private void awaitAccepting() throws InterruptedIOException {
        try {
            accepting.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a stub broker stops");
        }
    }

    /**
     * Listens again, on the same port.
     *
     * @throws IOException if the port is taken
     */
    public void start() throws IOException {
        listener = listen(port);
        accept();
    }

    /** Closes every connection, and goes on listening. */
    public void closeConnections() {
        links.forEach(Link::close);
    }

    private void accept() {
        ServerSocket open = listener;
        accepting = thread(
                () -> {
                    while (!open.isClosed()) {
                        try {
                            Link link = new Link(open.accept(), cluster.nextConnection());
                            links.add(link);
                            link.start();
                        } catch (IOException closed) { // the loop ends then
                        }
                    }
                },
                "accept");
        accepting.start();
    }

    private Thread thread(Runnable task, String name) {
        Thread thread = new Thread(task, "stub-" + id + "-" + name);
        thread.setDaemon(true);
        return thread;
    }

    private final class Link {

        private final Socket socket;
        private final int number;
        private final ExecutorService answers;
        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private boolean mute;

        private Link(Socket socket, int number) {
            this.socket = socket;
            this.number = number;
            this.answers = Executors.newSingleThreadExecutor(task -> thread(task, "answers-" + number));
        }

        private void start() {
            thread(this::read, "requests-" + number).start();
        }

        private void read() {
            try {
                socket.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                while (true) {
                    StubRequest request = parse(in.readNBytes(in.readInt()));
                    Reply reply = cluster.script().to(request);
                    cluster.note(request);
                    answers.execute(() -> carryOutOrClose(request, reply));
                }
            } catch (IOException | RejectedExecutionException gone) {
                close();
            }
        }

        private void carryOutOrClose(StubRequest request, Reply reply) {
            try {
                if (!closed.isDone()) {
                    carryOut(request, reply);
                }
            } catch (IOException gone) {
                close();
            }
        }

        private StubRequest parse(byte[] frame) {
            ByteBuffer bytes = ByteBuffer.wrap(frame);
            ApiKeys api = ApiKeys.forId(bytes.getShort(0));
            short version = bytes.getShort(Short.BYTES);
            RequestHeaderData header =
                    new RequestHeaderData(new ByteBufferAccessor(bytes), api.requestHeaderVersion(version));
            ApiMessage body = api.messageType.newRequest();
            body.read(new ByteBufferAccessor(bytes), version);
            return new StubRequest(
                    id, number, api, version, header.correlationId(), header.clientId(), body, System.nanoTime());
        }

        private void carryOut(StubRequest request, Reply reply) throws IOException {
            if (reply instanceof Reply.Usual) {
                answer(request, cluster.usual(request));
            } else if (reply instanceof Reply.Changed changed) {
                answer(request, changed.change().apply(cluster.usual(request)));
            } else if (reply instanceof Reply.Answer answer) {
                answer(request, answer.body());
            } else if (reply instanceof Reply.Hold hold) {
                CompletableFuture.anyOf(hold.gate(), closed).join();
                if (!closed.isDone()) {
                    answer(request, cluster.usual(request));
                }
            } else if (reply instanceof Reply.Swallow) {
                cluster.usual(request);
                mute = true;
            } else if (reply instanceof Reply.DoAndClose) {
                cluster.usual(request);
                throw new IOException("closed by the script");
            } else if (reply instanceof Reply.DoLate late) {
                late.gate().thenRun(() -> cluster.usual(request));
                throw new IOException("closed by the script");
            } else if (reply instanceof Reply.Close) {
                throw new IOException("closed by the script");
            } else if (reply instanceof Reply.Reset) {
                socket.setSoLinger(true, 0);
                throw new IOException("reset by the script");
            } else if (reply instanceof Reply.Garbage garbage) {
                send(garbage.bytes());
            } else if (reply instanceof Reply.Truncated) {
                byte[] whole = frame(request, cluster.usual(request), request.correlationId());
                byte[] half = new byte[whole.length / 2];
                System.arraycopy(whole, 0, half, 0, half.length);
                send(half);
                throw new IOException("closed by the script");
            } else if (reply instanceof Reply.WrongCorrelationId) {
                send(frame(request, cluster.usual(request), request.correlationId() + 1_000));
            }
        }

        private void answer(StubRequest request, ApiMessage body) throws IOException {
            if (body != null) { // acks=0 has no answer
                send(frame(request, body, request.correlationId()));
            }
        }

        private void send(byte[] bytes) throws IOException {
            if (!mute) {
                OutputStream out = socket.getOutputStream();
                out.write(bytes);
                out.flush();
            }
        }

        private static byte[] frame(StubRequest request, ApiMessage body, int correlationId) {
            ByteBuffer header = MessageUtil.toByteBufferAccessor(
                            new ResponseHeaderData().setCorrelationId(correlationId),
                            request.api().responseHeaderVersion(request.version()))
                    .buffer();
            ByteBuffer rest =
                    MessageUtil.toByteBufferAccessor(body, request.version()).buffer();
            return ByteBuffer.allocate(Integer.BYTES + header.remaining() + rest.remaining())
                    .putInt(header.remaining() + rest.remaining())
                    .put(header)
                    .put(rest)
                    .array();
        }

        private void close() {
            links.remove(this);
            closed.complete(null);
            answers.shutdown();
            try {
                socket.close();
            } catch (IOException goneAlready) { // as well
            }
        }
    }
}
