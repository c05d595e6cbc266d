package io.faultline.bench.scale;

import io.faultline.bench.host.GoneClient;
import io.faultline.bench.measure.CpuTime;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that send files to clients that are gone, each to a client of its own. */
final class Callers implements AutoCloseable {

    /** A prime: so the calls go all over the files, however many there are. */
    private static final int STRIDE = 7_919;

    private final ExecutorService threads;
    private final List<GoneClient> clients = new ArrayList<>();

    private Callers(int number) {
        threads = Executors.newFixedThreadPool(number);
    }

    static Callers make(int number) throws IOException {
        Callers made = new Callers(number);
        for (int client = 0; client < number; client++) {
            made.clients.add(GoneClient.make());
        }
        return made;
    }

    /** The processor time that a failing send takes of its thread, on average. In nanoseconds. */
    double nanos(List<FileChannel> files, int callers, int callsOfEach, int bytes) throws Exception {
        List<Future<Long>> nanos = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            GoneClient client = clients.get(caller);
            int first = caller;
            nanos.add(threads.submit(() -> CpuTime.of(() -> {
                for (int call = 0; call < callsOfEach; call++) {
                    int file = (int) ((long) (first + call) * STRIDE % files.size());
                    client.failToSend(files.get(file), bytes, 1);
                }
            })));
        }
        double sum = 0;
        for (Future<Long> ofOne : nanos) {
            sum += ofOne.get();
        }
        return sum / callers / callsOfEach;
    }

    @Override
    public void close() throws IOException {
        threads.shutdown();
        for (GoneClient client : clients) {
            client.close();
        }
    }
}
