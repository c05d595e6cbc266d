package io.faultline.agent.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A client that sends what it likes. */
final class RawClient implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;

    RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    private RawClient(Socket socket) {
        this.socket = socket;
    }

    /** A client for which the kernel keeps little that it has not read. */
    static RawClient slow(int port) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4 << 10); // before it connects, or it means nothing
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setSoTimeout(PATIENCE_MILLIS);
        return new RawClient(socket);
    }

    RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /** Everything that the server says until it hangs up, "" also where it resets the connection. */
    String answer() throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (SocketException reset) {
            return "";
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** One request on a connection of its own. */
    static String ask(int port, String request) throws IOException {
        try (RawClient client = new RawClient(port)) {
            return client.send(request).answer();
        }
    }

    static String get(int port, String path) throws IOException {
        return ask(port, "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    }
}
