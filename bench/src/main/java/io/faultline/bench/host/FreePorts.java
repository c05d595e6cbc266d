package io.faultline.bench.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Ports of the loopback that nobody uses. */
public final class FreePorts {

    /** Below those that the system gives to connections that go out, which could take one before its listener does. */
    private static final int FIRST = 20_000;

    private static final int COUNT = 12_000;
    private static final int ATTEMPTS = 1_000;
    private static final Random RANDOM = new Random();
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /**
     * Finds one, another one each time.
     *
     * @return the port
     * @throws IOException if there is none
     */
    public static int next() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = FIRST + RANDOM.nextInt(COUNT);
            if (GIVEN.add(port) && isFree(port)) {
                return port;
            }
        }
        throw new IOException("no free port among " + COUNT + " from " + FIRST + " on");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
