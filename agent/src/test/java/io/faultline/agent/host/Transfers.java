package io.faultline.agent.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Sends files with {@code transferTo} as a server does, to peers that read and to peers that reset the connection. */
final class Transfers {

    private static final int REGION = 16 << 10;
    private static final int FAILURES_PER_SOCKET = 25;
    private static final int FAILURES_IN_A_STORM = 1_000;

    private final Map<String, FileChannel> files = new ConcurrentHashMap<>();
    private volatile Throwable lastFailure;

    /** What the last transfer threw, the very object. */
    Throwable lastFailure() {
        return lastFailure;
    }

    /** Sends, and answers with how many bytes were sent and what was thrown. */
    String answer(String how, String file, long position, long count) throws IOException {
        lastFailure = null;
        long sent;
        if (how.endsWith("-and-close")) {
            sent = sendAndClose(file, position, count, how.startsWith("reset"));
        } else if (how.equals("append")) {
            try (FileChannel target =
                    FileChannel.open(Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                Path source = Files.write(Path.of(file + ".source"), new byte[REGION]);
                try (FileChannel from = FileChannel.open(source)) {
                    sent = from.transferTo(0, REGION, target);
                }
            }
        } else {
            sent = send(open(file), position, count, how.equals("reset"));
        }
        return sent + "\t" + Host.failure(lastFailure);
    }

    /** As most servers do: the file goes with the response, whether it could be sent or not. */
    private long sendAndClose(String file, long position, long count, boolean reset) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(file))) {
            return send(channel, position, count, reset);
        }
    }

    private long send(FileChannel file, long position, long count, boolean reset) throws IOException {
        long sent = 0;
        try (SocketChannel socket = reset ? resetSocket() : readSocket()) {
            // A peer that resets is sent to until it shows.
            while (sent < count) {
                long more = file.transferTo(position + sent, count - sent, socket);
                if (more == 0) {
                    break;
                }
                sent += reset ? 0 : more;
            }
        } catch (IOException | InternalError thrown) {
            lastFailure = thrown;
        }
        return sent;
    }

    /**
     * Makes many transfers fail because of their peers, some of them of files that are truncated, renamed or deleted meanwhile. In the middle one real failure
     * happens: a transfer of the first file at the given position.
     */
    String burst(int failures, List<String> names) throws IOException {
        long badPosition = Long.parseLong(names.get(0));
        List<String> targets = names.subList(1, names.size());
        int failed = 0;
        SocketChannel socket = null;
        for (int i = 0; failed < failures; i++) {
            if (i % FAILURES_PER_SOCKET == 0) {
                close(socket);
                socket = resetSocket();
            }
            String name = targets.get(i % targets.size());
            FileChannel file = open(name);
            if (i == failures / 2) {
                send(open(targets.get(0)), badPosition, REGION, false);
                failed += lastFailure == null ? 0 : 1;
            }
            try {
                file.transferTo((long) (i % 7) * REGION, REGION, socket);
            } catch (IOException reset) {
                failed++;
            }
            if (i % 100 == 50) {
                upset(Path.of(targets.get(1 + i / 100 % (targets.size() - 1))), i);
            }
        }
        close(socket);
        return Integer.toString(failed);
    }

    /** Makes transfers of one file fail because of their peers, as fast as it goes. */
    String storm(int failures, String name) throws IOException {
        FileChannel file = open(name);
        int failed = 0;
        SocketChannel socket = null;
        for (int i = 0; failed < failures; i++) {
            if (i % FAILURES_IN_A_STORM == 0) {
                close(socket);
                socket = resetSocket();
            }
            try {
                file.transferTo(0, REGION, socket);
            } catch (IOException reset) {
                failed++;
            }
        }
        close(socket);
        return Integer.toString(failed);
    }

    /** What retention and log cleaning do to files that are being sent. */
    private void upset(Path file, int turn) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        switch (turn / 100 % 3) {
            case 0 -> {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(REGION / 2);
                }
            }
            case 1 ->
                Files.move(file, file.resolveSibling(file.getFileName() + ".renamed"), StandardCopyOption.ATOMIC_MOVE);
            default -> Files.delete(file);
        }
    }

    /** Closes the file that the host sends from, and answers with how many milliseconds that took. */
    String close(String file) throws IOException {
        FileChannel channel = files.get(file);
        long began = System.nanoTime();
        channel.close();
        return Long.toString(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    }

    /** Forgets a channel that was closed, so that the next request opens the file again. */
    String reopen(String file) {
        return String.valueOf(files.remove(file) != null);
    }

    String openFiles() {
        Map<String, String> states = new LinkedHashMap<>();
        files.forEach((name, channel) -> states.put(name, Host.openState(name, channel)));
        return Host.listed(states.values());
    }

    private FileChannel open(String file) {
        return files.computeIfAbsent(file, name -> {
            try {
                return FileChannel.open(Path.of(name));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }

    private static void close(SocketChannel socket) throws IOException {
        if (socket != null) {
            socket.close();
        }
    }

    private static SocketChannel readSocket() throws IOException {
        try (ServerSocketChannel server = listen()) {
            SocketChannel socket = SocketChannel.open(server.getLocalAddress());
            SocketChannel peer = server.accept();
            Thread reader = new Thread(() -> drain(peer), "peer");
            reader.setDaemon(true);
            reader.start();
            return socket;
        }
    }

    private static SocketChannel resetSocket() throws IOException {
        try (ServerSocketChannel server = listen()) {
            SocketChannel socket = SocketChannel.open(server.getLocalAddress());
            SocketChannel peer = server.accept();
            peer.setOption(StandardSocketOptions.SO_LINGER, 0);
            peer.close(); // lingering for 0 s sends a reset
            return socket;
        }
    }

    private static ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static void drain(SocketChannel peer) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 10);
        try (peer) {
            while (peer.read(buffer.clear()) >= 0) {
                // Whatever it is, it has arrived.
            }
        } catch (IOException ignored) { // the sender went away
        }
    }
}
