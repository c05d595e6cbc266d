package io.faultline.bench.outage;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.protocol.ApiKeys;

/** A TCP proxy before a broker that knows where a frame of the Kafka protocol begins and which response belongs to which request. */
final class FrameProxy implements AutoCloseable {

    /** What it does with responses. */
    enum Mode {
        /** They go through. */
        PASS,
        /** Those to Produce requests, which the broker has carried out, vanish, and with them whatever would follow on that connection. */
        EAT_ACKS,
        /** The first half of the next one goes through, then nothing more of that connection. */
        HALVE
    }

    private static final int LARGEST_FRAME = 100 << 20;
    private static final int CONNECT_MILLIS = 5_000;

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile Mode mode = Mode.PASS;

    /** Begins to listen on a port of the loopback and to forward to another one. */
    FrameProxy(int port, int target) throws IOException {
        this.listener = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
        this.target = new InetSocketAddress(InetAddress.getLoopbackAddress(), target);
        thread(this::accept, "proxy-accept").start();
    }

    void mode(Mode next) {
        mode = next;
    }

    /** Resets every connection, as a peer does that crashed and came back. */
    void resetAll() {
        links.forEach(Link::reset);
    }

    /** Says to every client that nothing more will come, and goes on taking what clients send. */
    void finishAll() {
        links.forEach(Link::finish);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        links.forEach(Link::close);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                thread(() -> open(client), "proxy-open").start();
            } catch (IOException closed) { // the loop ends then
            }
        }
    }

    private void open(Socket client) {
        Socket server = new Socket();
        Link link = new Link(client, server);
        links.add(link);
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_MILLIS);
        } catch (IOException brokerGone) {
            link.reset();
            return;
        }
        thread(link::forwardRequests, "proxy-requests").start();
        thread(link::forwardResponses, "proxy-responses").start();
    }

    private static Thread thread(Runnable action, String name) {
        Thread thread = new Thread(action, name);
        thread.setDaemon(true);
        return thread;
    }

    /** A client's connection and the one to the broker that belongs to it. */
    private final class Link {

        private final Socket client;
        private final Socket server;
        private final Map<Integer, Short> apis = new ConcurrentHashMap<>();

        private Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        private void forwardRequests() {
            try {
                DataInputStream in = new DataInputStream(client.getInputStream());
                DataOutputStream out = new DataOutputStream(server.getOutputStream());
                while (true) {
                    byte[] request = read(in);
                    ByteBuffer header = ByteBuffer.wrap(request);
                    short api = header.getShort();
                    header.getShort();
                    apis.put(header.getInt(), api);
                    write(out, request, request.length);
                }
            } catch (IOException gone) {
                close();
            }
        }

        private void forwardResponses() {
            try {
                DataInputStream in = new DataInputStream(server.getInputStream());
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                boolean eaten = false;
                while (true) {
                    byte[] response = read(in);
                    short api = apis.remove(ByteBuffer.wrap(response).getInt());
                    Mode now = mode;
                    if (now == Mode.HALVE) {
                        write(out, response, response.length / 2);
                        in.skipNBytes(Long.MAX_VALUE);
                        continue;
                    }
                    eaten |= now == Mode.EAT_ACKS && api == ApiKeys.PRODUCE.id;
                    if (!eaten) {
                        write(out, response, response.length);
                    }
                }
            } catch (IOException gone) {
                close();
            }
        }

        private static byte[] read(DataInputStream in) throws IOException {
            int length = in.readInt();
            if (length < Long.BYTES / 2 || length > LARGEST_FRAME) {
                throw new IOException("no frame: " + length + " bytes");
            }
            return in.readNBytes(length);
        }

        private static void write(DataOutputStream out, byte[] frame, int count) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + count);
            bytes.putInt(frame.length).put(frame, 0, count);
            out.write(bytes.array());
            out.flush();
        }

        private void finish() {
            try {
                client.shutdownOutput();
            } catch (IOException goneAlready) { // as well
            }
        }

        private void reset() {
            try {
                client.setSoLinger(true, 0);
            } catch (IOException goneAlready) { // as well
            }
            close();
        }

        private void close() {
            links.remove(this);
            for (Socket socket : new Socket[] {client, server}) {
                try {
                    socket.close();
                } catch (IOException goneAlready) { // as well
                }
            }
        }
    }
}
