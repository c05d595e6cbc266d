package io.faultline.client.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Writes a message into parts, without copying records: their buffers and file regions become parts of their own. */
final class PartsWriter implements Writable {

    private final ByteBuffer buffer;
    private final ByteBufferAccessor accessor;
    private final List<FramePart> parts = new ArrayList<>();
    private int partStart;

    /** With room for everything but records. */
    PartsWriter(int room) {
        buffer = ByteBuffer.allocate(room);
        accessor = new ByteBufferAccessor(buffer);
    }

    List<FramePart> parts() {
        cut();
        return parts;
    }

    @Override
    public void writeRecords(BaseRecords records) {
        cut();
        if (records instanceof RecordsInFile inFile) {
            if (inFile.head().hasRemaining()) {
                parts.add(new FramePart.Bytes(inFile.head()));
            }
            parts.add(inFile.region());
        } else if (records instanceof MemoryRecords inMemory) {
            parts.add(new FramePart.Bytes(inMemory.buffer()));
        } else {
            throw new IllegalArgumentException("no records to send: " + records.getClass());
        }
    }

    private void cut() {
        if (buffer.position() > partStart) {
            parts.add(new FramePart.Bytes(buffer.slice(partStart, buffer.position() - partStart)));
            partStart = buffer.position();
        }
    }

    @Override
    public void writeByte(byte value) {
        accessor.writeByte(value);
    }

    @Override
    public void writeShort(short value) {
        accessor.writeShort(value);
    }

    @Override
    public void writeInt(int value) {
        accessor.writeInt(value);
    }

    @Override
    public void writeLong(long value) {
        accessor.writeLong(value);
    }

    @Override
    public void writeDouble(double value) {
        accessor.writeDouble(value);
    }

    @Override
    public void writeByteArray(byte[] bytes) {
        accessor.writeByteArray(bytes);
    }

    @Override
    public void writeUnsignedVarint(int value) {
        accessor.writeUnsignedVarint(value);
    }

    @Override
    public void writeByteBuffer(ByteBuffer bytes) {
        accessor.writeByteBuffer(bytes);
    }

    @Override
    public void writeVarint(int value) {
        accessor.writeVarint(value);
    }

    @Override
    public void writeVarlong(long value) {
        accessor.writeVarlong(value);
    }
}
