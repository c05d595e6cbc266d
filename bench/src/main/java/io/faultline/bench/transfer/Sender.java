package io.faultline.bench.transfer;

import io.faultline.bench.host.TakingClient;
import io.faultline.bench.measure.CpuTime;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Sends a file to where all is taken that comes. For one thread at a time. */
final class Sender implements AutoCloseable {

    private final FileChannel file;
    private final WritableByteChannel out;

    private Sender(FileChannel file, WritableByteChannel out) {
        this.file = file;
        this.out = out;
    }

    /** To the null device: nothing but the call itself. */
    static Sender toNowhere(Path file) throws IOException {
        return new Sender(FileChannel.open(file), FileChannel.open(Path.of("/dev/null"), StandardOpenOption.WRITE));
    }

    /** Over a connection, to a thread that reads and forgets. */
    static Sender toSocket(Path file) throws IOException {
        return new Sender(FileChannel.open(file), TakingClient.connect());
    }

    /** The processor time that a call takes of the calling thread, over a batch of calls. In nanoseconds. */
    double nanos(long size, int calls) throws Exception {
        return (double) CpuTime.of(() -> send(size, calls)) / calls;
    }

    /** Sends that many bytes from the beginning of the file, that many times. */
    void send(long size, int times) throws IOException {
        for (int time = 0; time < times; time++) {
            long sent = 0;
            while (sent < size) {
                sent += file.transferTo(sent, size - sent, out);
            }
        }
    }

    /** Where it sends to. */
    WritableByteChannel target() {
        return out;
    }

    @Override
    public void close() throws IOException {
        out.close();
        file.close();
    }
}
