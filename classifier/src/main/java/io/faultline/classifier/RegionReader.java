package io.faultline.classifier;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Reads a whole region of a file with plain positional reads, which is what proves it readable or condemns it. A transfer to
 * {@code /dev/null} does not: where {@code sendfile} is refused the JDK maps the file and touches no page of it.
 *
 * <p>Used by one thread at a time. The buffer is direct and kept, because a fresh one costs more than a read from the page cache.
 */
final class RegionReader {

    /** The most that is read for one turn of the budget. */
    private static final int SLICE = 1 << 20;

    /**
     * The most that one read asks for. Reading in pieces of 64 to 256 KiB is fastest from the page cache.
     */
    private static final int PIECE = 128 << 10;

    /**
     * What the first read of a region asks for; each further one asks for twice as much, up to {@link #PIECE}. Of a cold file the kernel reads ahead only behind reads that are
     * small beside its window of 128 KiB: with whole pieces from the start it reads each when it is asked for, and a small region takes a third longer.
     */
    private static final int FIRST_PIECE = 32 << 10;

    /**
     * Reads begin and end at multiples of this, in a buffer aligned to it: then they are legal for a channel that was opened for direct
     * I/O too. The kernel reads no less than the page around a byte anyhow.
     */
    private static final int BLOCK = 4 << 10;

    private final ByteBuffer buffer =
            ByteBuffer.allocateDirect(PIECE + BLOCK).alignedSlice(BLOCK).slice(0, PIECE);

    /**
     * Reads the region.
     *
     * @param file the channel to read
     * @param region what to read
     * @param budget where each slice is taken from
     * @param bytesRead told of each read
     * @param abandoned asked between reads
     * @return how it ended
     */
    ReadOutcome read(
            FileChannel file, Region region, ReadBudget budget, IntConsumer bytesRead, BooleanSupplier abandoned) {
        long position = startOfBlock(region.position());
        long paidUntil = position;
        int piece = FIRST_PIECE;
        IOException suspicion = null;
        IOException refusal = null;
        long suspectedAt = -1;
        long suspectUntil = -1;
        while (position < region.end()) {
            if (abandoned.getAsBoolean()) {
                return ended(ReadOutcome.End.ABANDONED, region, position, null);
            }
            if (position >= paidUntil) {
                int slice = (int) Math.min(SLICE, region.end() - position);
                if (!budget.take(slice, abandoned)) {
                    return ended(ReadOutcome.End.ABANDONED, region, position, null);
                }
                paidUntil = position + slice;
            }
            boolean suspected = position < suspectUntil;
            long from = suspected ? startOfBlock(position) : position;
            int length =
                    suspected ? BLOCK : (int) Math.min(piece, toBlocks(Math.min(paidUntil, region.end()) - position));
            int read;
            try {
                // A mark that a stranger's code left on this thread would make the read close the channel, the host's
                // perhaps.
                Thread.interrupted();
                read = file.read(buffer.clear().limit(length), from);
            } catch (ClosedChannelException closed) {
                return ended(ReadOutcome.End.CLOSED, region, position, null);
            } catch (IOException failure) {
                boolean aligned = from == startOfBlock(from);
                if (aligned && length == BLOCK) {
                    return ended(ReadOutcome.End.FAILED, region, position, failure);
                }
                // Direct I/O refuses what is not aligned, as behind a short read at the end of the file, and like a
                // page cache of
                // large folios it fails a piece as a whole. Going through it block by block tells.
                suspicion = aligned ? failure : null;
                refusal = aligned ? null : failure;
                suspectedAt = position;
                suspectUntil = position + length;
                continue;
            }
            if (read <= position - from) {
                if (read > 0 && refusal != null && isBeforeTheEnd(file, position)) {
                    // What looked like a refusal of the unaligned read was no such thing: the aligned one gets no
                    // further either.
                    return ended(ReadOutcome.End.FAILED, region, position, refusal);
                }
                return ended(
                        read == 0 ? ReadOutcome.End.NO_PROGRESS : ReadOutcome.End.END_OF_FILE, region, position, null);
            }
            bytesRead.accept(read);
            position = from + read;
            piece = Math.min(PIECE, 2 * piece);
            if (suspicion != null && position >= Math.min(suspectUntil, region.end())) {
                // Every block of the piece can be read now. It failed all the same.
                return ended(ReadOutcome.End.FAILED, region, suspectedAt, suspicion);
            }
        }
        return ended(ReadOutcome.End.READABLE, region, position, null);
    }

    private static boolean isBeforeTheEnd(FileChannel file, long position) {
        try {
            return position < file.size();
        } catch (IOException unknown) { // then the read's own word stands
            return false;
        }
    }

    private static long startOfBlock(long position) {
        return position - position % BLOCK;
    }

    private static long toBlocks(long bytes) {
        return bytes >= PIECE ? bytes : (bytes + BLOCK - 1) / BLOCK * BLOCK;
    }

    private static ReadOutcome ended(ReadOutcome.End end, Region region, long position, IOException failure) {
        long inside = Math.min(Math.max(position, region.position()), region.end());
        return new ReadOutcome(end, inside, failure);
    }
}
