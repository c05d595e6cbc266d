package io.faultline.classifier;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real channel of a real file that is watched: what is called on it, by which threads, and how many reads run at once. Since it is
 * no channel of the JDK's, it is always read through, never through a descriptor of the classifier's own.
 */
class ObservedChannel extends FileChannel {

    final Set<String> calls = ConcurrentHashMap.newKeySet();
    final Set<Thread> readers = ConcurrentHashMap.newKeySet();
    private final FileChannel real;
    private final Gauge gauge;

    /** How many reads run, and the most that ever ran at once, over all channels that share it. */
    static final class Gauge {
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        int most() {
            return most.get();
        }
    }

    ObservedChannel(FileChannel real, Gauge gauge) {
        this.real = real;
        this.gauge = gauge;
    }

    ObservedChannel(Path file) throws IOException {
        this(FileChannel.open(file, StandardOpenOption.READ), new Gauge());
    }

    /** Called before each positional read. */
    void beforeRead(long position) throws IOException {}

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        calls.add("read at");
        readers.add(Thread.currentThread());
        gauge.most.accumulateAndGet(gauge.running.incrementAndGet(), Math::max);
        try {
            beforeRead(position);
            return real.read(target, position);
        } finally {
            gauge.running.decrementAndGet();
        }
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        calls.add("transferTo");
        return real.transferTo(position, count, target);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        calls.add("read");
        return real.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        calls.add("read");
        return real.read(targets, offset, length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        calls.add("write");
        return real.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        calls.add("write");
        return real.write(sources, offset, length);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        calls.add("write");
        return real.write(source, position);
    }

    @Override
    public long position() throws IOException {
        calls.add("position");
        return real.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
        calls.add("position");
        return real.position(position);
    }

    @Override
    public long size() throws IOException {
        calls.add("size");
        return real.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        calls.add("truncate");
        return real.truncate(size);
    }

    @Override
    public void force(boolean metaData) throws IOException {
        calls.add("force");
        real.force(metaData);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) throws IOException {
        calls.add("transferFrom");
        return real.transferFrom(source, position, count);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
        calls.add("map");
        return real.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
        calls.add("lock");
        return real.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        calls.add("lock");
        return real.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        real.close();
    }
}
