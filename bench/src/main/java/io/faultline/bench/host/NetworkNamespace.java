package io.faultline.bench.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A network of its own for some processes, joined to that of this process by one virtual wire, from which packets can be made to vanish: neither end is told. That is what
 * makes true half-open connections, with unacknowledged bytes on both sides; a proxy, which acknowledges for the one behind it, cannot.
 *
 * <p>It needs root and iproute2. Processes in it go on talking to each other meanwhile.
 */
public final class NetworkNamespace implements AutoCloseable {

    private static final String PREFIX = "faultline-";
    private static final int ATTEMPTS = 20;
    private static final int MOST_HOSTS = 8;
    private static final int FIRST_SECOND_BYTE = 200;
    private static final int SECOND_BYTES = 50;
    private static final int BYTES = 256;
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final String name;
    private final String subnet;

    private NetworkNamespace(String name, String subnet) {
        this.name = name;
        this.subnet = subnet;
    }

    /**
     * Says what this machine lacks for one.
     *
     * @return names for a reader; empty if nothing is missing
     */
    public static List<String> missing() {
        List<String> missing = new ArrayList<>();
        if (!"root".equals(System.getProperty("user.name"))) {
            missing.add("root");
        }
        try {
            ip("netns", "list");
        } catch (IOException notThere) {
            missing.add("ip (Debian package iproute2) with network namespaces: " + notThere.getMessage());
        }
        return missing;
    }

    /**
     * Makes one. Those that a killed JVM left behind are cleared away.
     *
     * @return the namespace, with its wire up
     * @throws IOException if it cannot be made; the message holds the complaint of the system's tool
     */
    public static NetworkNamespace make() throws IOException {
        clearLeftBehind();
        long pid = ProcessHandle.current().pid();
        int number = NEXT.incrementAndGet();
        String name = PREFIX + pid + "-" + number;
        ip("netns", "add", name);
        NetworkNamespace namespace = new NetworkNamespace(name, freeSubnet());
        AtExit.close(namespace);
        try {
            String wire = "fl" + pid + "-" + number;
            ip("link", "add", wire, "type", "veth", "peer", "name", "eth0", "netns", name);
            ip("addr", "add", namespace.outside() + "/24", "dev", wire);
            ip("link", "set", wire, "up");
            for (String host : namespace.hosts()) {
                ip("-n", name, "addr", "add", host + "/24", "dev", "eth0");
            }
            ip("-n", name, "link", "set", "lo", "up");
            ip("-n", name, "link", "set", "eth0", "up");
            return namespace;
        } catch (IOException notMade) {
            namespace.close();
            throw notMade;
        }
    }

    /**
     * What the command of a process begins with, so that it is in here. The process keeps its pid.
     *
     * @return the beginning of a command
     */
    public List<String> command() {
        return List.of("ip", "netns", "exec", name);
    }

    /**
     * The addresses in here that can be reached from outside.
     *
     * @return some IP addresses
     */
    public List<String> hosts() {
        return IntStream.rangeClosed(1, MOST_HOSTS)
                .mapToObj(host -> subnet + (host + 1))
                .toList();
    }

    /**
     * Lets every packet to and from outside vanish.
     *
     * @throws IOException if that cannot be done
     */
    public void blackHole() throws IOException {
        // What comes from an address to which there is no way back is thrown away, too.
        run("ip", "netns", "exec", name, "sysctl", "-q", "-w", "net.ipv4.conf.all.rp_filter=1");
        ip("-n", name, "route", "add", "blackhole", outside() + "/32");
    }

    /**
     * Lets packets through again.
     *
     * @throws IOException if that cannot be done
     */
    public void heal() throws IOException {
        ip("-n", name, "route", "del", "blackhole", outside() + "/32");
    }

    /** Takes it away. Its processes must have ended. */
    @Override
    public void close() throws IOException {
        ip("netns", "del", name);
        AtExit.forget(this);
    }

    private String outside() {
        return subnet + "1";
    }

    private static void clearLeftBehind() throws IOException {
        for (String line : ip("netns", "list").split("\n")) {
            String name = line.split(" ")[0];
            if (name.matches(PREFIX + "\\d+-\\d+")) {
                long pid = Long.parseLong(name.substring(PREFIX.length(), name.lastIndexOf('-')));
                if (ProcessHandle.of(pid).isEmpty()) {
                    ip("netns", "del", name);
                }
            }
        }
    }

    private static String freeSubnet() throws IOException {
        String taken = ip("-o", "-4", "addr");
        Random random = new Random();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            String subnet =
                    "10." + (FIRST_SECOND_BYTE + random.nextInt(SECOND_BYTES)) + "." + random.nextInt(BYTES) + ".";
            if (!taken.contains(" " + subnet)) {
                return subnet;
            }
        }
        throw new IOException("no free subnet in:\n" + taken);
    }

    private static String ip(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        return run(command.toArray(String[]::new));
    }

    private static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + said.strip());
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted in " + String.join(" ", command), interrupted);
        }
        return said;
    }
}
