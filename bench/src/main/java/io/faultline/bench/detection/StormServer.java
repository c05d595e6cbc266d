package io.faultline.bench.detection;

import io.faultline.bench.host.GoneClient;
import io.faultline.bench.host.KeptFailures;
import io.faultline.bench.host.ProcessFigures;
import io.faultline.classifier.FailureFeed;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;

/** A server all of whose clients are gone: each send of a file of one of its log directories fails. It sends as fast as its threads can. */
public final class StormServer {

    /** What every directory has a file of this name for. */
    static final String SEGMENT = "segment";

    private static final String CHECK = "io.faultline.Check";
    private static final int THREADS = 2;
    private static final long LOOK_AGAIN_MILLIS = 50;

    /** Of how many sends in a row one directory is the source. */
    static final int BURST = 64;

    private final LogDirectories directories;
    private final List<FileChannel> files = new ArrayList<>();

    private StormServer(LogDirectories directories) {
        this.directories = directories;
    }

    /**
     * Prints "ready", and for each number that it reads, after as many failed sends, "sent" with the number of them, the bytes of the heap in use after a collection, those that are
     * resident, and how long it took in nanoseconds; for {@code memory} it prints that and those two numbers of bytes; for {@code offline} that and the directories; for {@code end} it
     * writes the recording of all checks, prints "written" and ends.
     *
     * @param arguments where the recording of all checks goes, and the log directories
     * @throws Exception if a file cannot be opened, or no client be had
     */
    public static void main(String[] arguments) throws Exception {
        List<String> paths = List.of(arguments).subList(1, arguments.length);
        LogDirectories directories = new LogDirectories(paths);
        FailureFeed.ofThisJvm().register(directories);
        StormServer server = new StormServer(directories);
        for (String path : paths) {
            server.files.add(FileChannel.open(Path.of(path, SEGMENT)));
        }
        try (Recording recording = new Recording();
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            recording.enable(CHECK).withThreshold(Duration.ZERO).withoutStackTrace();
            recording.start();
            awaitEvents();
            System.out.println("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("end")) {
                    recording.dump(Path.of(arguments[0]));
                    System.out.println("written");
                    return;
                }
                server.obey(line);
            }
        }
    }

    /** The agent looks every second whether there is a recorder. */
    private static void awaitEvents() throws InterruptedException {
        while (FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .noneMatch(type -> type.getName().equals(CHECK))) {
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
        }
    }

    private void obey(String line) throws Exception {
        if (line.equals("offline")) {
            System.out.println("offline " + String.join(" ", directories.offline()));
        } else if (line.equals("memory")) {
            System.out.println("memory " + memory());
        } else {
            long began = System.nanoTime();
            long sent = storm(Long.parseLong(line));
            long took = System.nanoTime() - began;
            System.out.println("sent " + sent + " " + memory() + " " + took);
        }
    }

    private static String memory() throws IOException {
        return KeptFailures.heapInUse() + " "
                + ProcessFigures.of(ProcessHandle.current().pid()).resident();
    }

    private long storm(long sends) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<Long>> work = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread * files.size() / THREADS;
                work.add(() -> fail(sends / THREADS, first));
            }
            long sent = 0;
            for (Future<Long> each : threads.invokeAll(work)) {
                sent += each.get();
            }
            return sent;
        } finally {
            threads.shutdown();
        }
    }

    private long fail(long sends, int first) throws IOException {
        long failed = 0;
        try (GoneClient gone = GoneClient.make()) {
            for (int directory = first; failed < sends; directory++) {
                FileChannel file = files.get(directory % files.size());
                int burst = (int) Math.min(BURST, sends - failed);
                gone.failToSend(file, file.size(), burst);
                failed += burst;
            }
        }
        return failed;
    }
}
