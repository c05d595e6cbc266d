package io.faultline.broker.fuzz;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/** Over a real socket, which is kept until the broker closes it or a response may be late. */
final class SocketExchange implements Exchange {

    private static final int LARGEST_RESPONSE = 1 << 26;

    private final InetSocketAddress address;
    private Socket socket;
    private DataInputStream in;

    SocketExchange(String hostAndPort) {
        int colon = hostAndPort.lastIndexOf(':');
        address = new InetSocketAddress(
                hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1)));
    }

    @Override
    public ByteBuffer send(ByteBuffer request, Expectation expected) throws IOException {
        if (socket == null) {
            connect();
        }
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + request.remaining());
        frame.putInt(request.remaining()).put(request.duplicate());
        socket.getOutputStream().write(frame.array());
        boolean held = expected.mayWait() || expected.pair() != null && !expected.answered();
        socket.setSoTimeout((int) (held ? SHORT_PATIENCE_MS : PATIENCE_MS));
        try {
            int size = in.readInt();
            if (!expected.answered() || size < 0 || size > LARGEST_RESPONSE) {
                throw new Finding("a response of " + size + " bytes to " + expected);
            }
            socket.setSoTimeout((int) PATIENCE_MS);
            byte[] response = new byte[size];
            in.readFully(response);
            return ByteBuffer.wrap(response);
        } catch (SocketTimeoutException late) {
            if (!held) {
                throw new Finding("neither a response nor a close after " + PATIENCE_MS + " ms: " + expected, late);
            }
            close();
            return null;
        } catch (EOFException | SocketException closed) {
            if (expected.answered()) {
                throw new Finding("closed instead of a response: " + expected, closed);
            }
            close();
            return null;
        }
    }

    private void connect() throws IOException {
        socket = new Socket();
        socket.setTcpNoDelay(true);
        // No trace of connections that were closed: the ports of one machine are few.
        socket.setSoLinger(true, 0);
        socket.connect(address);
        in = new DataInputStream(socket.getInputStream());
    }

    @Override
    public void close() throws IOException {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }
}
