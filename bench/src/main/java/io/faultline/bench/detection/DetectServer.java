package io.faultline.bench.detection;

import io.faultline.bench.host.GoneClient;
import io.faultline.bench.host.TakingClient;
import io.faultline.classifier.FailureFeed;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A server that sends a file of each of its log directories, one of them unreadable in the middle, and measures how long it takes until that directory is offline. */
public final class DetectServer {

    /** What every directory has a file of this name for. */
    static final String SEGMENT = "segment";

    private static final long CONTROL_SLEEP_NANOS = 4_000_000;
    private static final int SENDS_FOR_EACH_THAT_FAILS = 100;

    private final LogDirectories directories;
    private final Path healthy;
    private final List<Thread> load = new ArrayList<>();
    private volatile boolean loaded;

    private DetectServer(LogDirectories directories, Path healthy) {
        this.directories = directories;
        this.healthy = healthy;
    }

    /**
     * Prints "ready" and does what it reads: {@code load on}, {@code load off}, {@code send DIRECTORY}, which prints "took" and two numbers of nanoseconds, from the failing call's
     * begin and from its end until the directory was offline, and {@code sleep}, which prints "late" and by how much a thread that sleeps as long as the agent's is late. It ends
     * with its input.
     *
     * @param arguments a healthy log directory, and then those that fail
     * @throws Exception if a file cannot be opened, or no client be had
     */
    public static void main(String[] arguments) throws Exception {
        LogDirectories directories = new LogDirectories(List.of(arguments));
        FailureFeed.ofThisJvm().register(directories);
        DetectServer server = new DetectServer(directories, Path.of(arguments[0], SEGMENT));
        System.out.println("ready");
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                server.obey(line);
            }
        }
        server.stopLoad();
    }

    private void obey(String line) throws Exception {
        if (line.equals("load on")) {
            startLoad();
        } else if (line.equals("load off")) {
            stopLoad();
        } else if (line.equals("sleep")) {
            System.out.println("late " + late());
        } else {
            System.out.println("took " + send(line.substring("send ".length())));
        }
    }

    private String send(String directory) throws IOException, InterruptedException {
        try (FileChannel file = FileChannel.open(Path.of(directory, SEGMENT));
                SocketChannel client = TakingClient.connect()) {
            long position = 0;
            long began = 0;
            try {
                while (position < file.size()) {
                    began = System.nanoTime();
                    position += file.transferTo(position, file.size() - position, client);
                }
            } catch (IOException unreadable) {
                long failed = System.nanoTime();
                long offline = directories.awaitOffline(directory);
                return (offline - began) + " " + (offline - failed);
            }
            throw new IOException(file + " in " + directory + " was sent, though it is unreadable");
        }
    }

    private static long late() {
        long began = System.nanoTime();
        LockSupport.parkNanos(CONTROL_SLEEP_NANOS);
        return System.nanoTime() - began - CONTROL_SLEEP_NANOS;
    }

    private void startLoad() {
        loaded = true;
        for (int thread = 0; thread < Runtime.getRuntime().availableProcessors(); thread++) {
            Thread sender = new Thread(this::sendOnAndOn, "load");
            sender.start();
            load.add(sender);
        }
    }

    private void stopLoad() throws InterruptedException {
        loaded = false;
        for (Thread sender : load) {
            sender.join();
        }
        load.clear();
    }

    /** As fast as it goes, and now and then to a client that went. */
    private void sendOnAndOn() {
        try (FileChannel file = FileChannel.open(healthy);
                SocketChannel client = TakingClient.connect();
                GoneClient gone = GoneClient.make()) {
            while (loaded) {
                for (int send = 1; send < SENDS_FOR_EACH_THAT_FAILS; send++) {
                    file.transferTo(0, file.size(), client);
                }
                gone.failToSend(file, file.size());
            }
        } catch (IOException failure) {
            System.out.println("the load failed: " + failure);
        }
    }
}
