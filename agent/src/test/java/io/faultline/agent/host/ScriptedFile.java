package io.faultline.agent.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A file that answers each {@code read} and {@code size} as its script says, in turn; "ok" once the script is over. */
final class ScriptedFile extends FileChannel {

    private final long size;
    private final Deque<String> outcomes;

    ScriptedFile(long size, List<String> outcomes) {
        this.size = size;
        this.outcomes = new ArrayDeque<>(outcomes);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        String outcome = next();
        int count = (int) Math.min(target.remaining(), size - position);
        switch (outcome) {
            case "ok" -> {}
            case "short" -> count = Math.min(count, 100);
            case "nothing" -> {
                return 0;
            }
            case "end" -> {
                return -1;
            }
            default -> fail(outcome);
        }
        for (int i = 0; i < count; i++) {
            target.put(Content.at(position + i));
        }
        return count;
    }

    @Override
    public long size() throws IOException {
        String outcome = next();
        if (!outcome.equals("ok")) {
            fail(outcome);
        }
        return size;
    }

    private String next() {
        return outcomes.isEmpty() ? "ok" : outcomes.remove();
    }

    private static void fail(String outcome) throws IOException {
        if (outcome.equals("closed")) {
            throw new ClosedChannelException();
        }
        throw new IOException(outcome);
    }

    @Override
    public int read(ByteBuffer target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source, long position) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long newPosition) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long newSize) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void force(boolean metaData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long count, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long count, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseChannel() {}
}
