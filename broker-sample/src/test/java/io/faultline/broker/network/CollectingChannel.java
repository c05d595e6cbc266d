package io.faultline.broker.network;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import org.apache.kafka.common.network.TransferableChannel;

/** Keeps what is sent. */
final class CollectingChannel implements TransferableChannel {

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final WritableByteChannel channel = Channels.newChannel(sent);

    ByteBuffer bytes() {
        return ByteBuffer.wrap(sent.toByteArray());
    }

    @Override
    public boolean hasPendingWrites() {
        return false;
    }

    @Override
    public long transferFrom(FileChannel file, long position, long count) throws IOException {
        return file.transferTo(position, count, channel);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return channel.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        long written = 0;
        for (int index = offset; index < offset + length; index++) {
            written += channel.write(sources[index]);
        }
        return written;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {
        // There is nothing to let go of.
    }
}
