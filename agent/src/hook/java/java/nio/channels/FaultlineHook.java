package java.nio.channels;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The only code of Faultline that woven code calls. An agent defines it into java.base, so that every class loader and module sees it; it
 * outlives a detach, and a newer agent finds it as an older one left it.
 *
 * <p>It counts and hands over. It never throws anything of its own, never blocks, takes no lock and does no I/O.
 *
 * <p>A frozen contract, version {@link #CONTRACT}: a later version of this class may add members, never change one. Only JDK types cross it.
 */
public final class FaultlineHook {

    /** The version of the contract. */
    public static final int CONTRACT = 2;

    /** Takers of verdicts, each a map; copies of the classifier library in the application put theirs in. */
    public static final Collection<Consumer<Map<String, Object>>> CONSUMERS = new CopyOnWriteArrayList<>();

    /** Owners of log directories, each a map of functions; copies of the classifier library in the application put theirs in. */
    public static final Collection<Map<String, Object>> OWNERS = new CopyOnWriteArrayList<>();

    // The counters, since the hook was defined. An agent reads them with the private access that only it has.

    private static final LongAdder SOCKET_TRANSFERS = new LongAdder();
    private static final LongAdder SOCKET_BYTES = new LongAdder();
    private static final LongAdder OTHER_TRANSFERS = new LongAdder();
    private static final LongAdder OTHER_BYTES = new LongAdder();
    private static final LongAdder TLS_READS = new LongAdder();
    private static final LongAdder TLS_BYTES = new LongAdder();
    private static final LongAdder SOCKET_FAILURES = new LongAdder();
    private static final LongAdder OTHER_FAILURES = new LongAdder();
    private static final LongAdder TLS_FAILURES = new LongAdder();
    private static final LongAdder PLAIN_FAILURES = new LongAdder();
    private static final LongAdder TLS_ENDS_OF_FILE = new LongAdder();
    private static final LongAdder STALE_PREVENTED = new LongAdder();

    /** How many of OTHER_FAILURES were made by agents themselves, to see whether their weaving took. */
    private static final LongAdder SELF_CHECKS = new LongAdder();

    /**
     * Takes failures: {"transfer", "read" (on its way to TLS) or "plain" (any other read or size), the FileChannel, the position (Long), the count (Long), the WritableByteChannel or null, the
     * Throwable}. Null while no agent is attached.
     */
    private static volatile Consumer<Object[]> sink;

    /**
     * Decides on rehearsed failures: takes {the FileChannel, the position (Long), the count (Long)} and returns how many bytes may be read (Long), or the
     * IOException to throw. Null unless failures are rehearsed.
     */
    private static volatile Function<Object[], Object> rehearsal;

    /** Told of each file whose buffer of stale TLS bytes was emptied. Must be as quick as {@link #sink}. Null while no agent is attached. Since version 2. */
    private static volatile Consumer<FileChannel> emptied;

    private FaultlineHook() {}

    /**
     * Called at the end of every {@code FileChannelImpl.transferTo}.
     *
     * @param channel the file
     * @param position the caller's position
     * @param count the count as the JDK clamped it
     * @param target the target, as the caller gave it
     * @param sent what the transfer returns
     * @param failure what it throws, or null
     */
    public static void transferEnded(
            FileChannel channel, long position, long count, WritableByteChannel target, long sent, Throwable failure) {
        try {
            boolean socket = target instanceof SocketChannel;
            if (failure == null) {
                if (socket) {
                    SOCKET_TRANSFERS.increment();
                    SOCKET_BYTES.add(sent);
                } else {
                    OTHER_TRANSFERS.increment();
                    OTHER_BYTES.add(sent);
                }
            } else if ((failure instanceof IOException || failure instanceof InternalError)
                    && !(failure instanceof ClosedChannelException)) {
                (socket ? SOCKET_FAILURES : OTHER_FAILURES).increment();
                handOver("transfer", channel, position, count, target, failure);
            }
        } catch (Throwable own) {
            // Whatever it is: the host's transfer ends as it would have ended without us.
        }
    }

    /**
     * Stands in for {@link FileChannel#read(ByteBuffer, long)} inside Kafka's {@code SslTransportLayer.transferFrom}. Where that read fails or
     * ends, the buffer still holds what was sent before, cleared as if it were to be sent again; it is emptied here.
     *
     * @param channel the file
     * @param buffer the transport layer's buffer
     * @param position where to read
     * @return what the read returned
     * @throws IOException what the read threw
     */
    public static int read(FileChannel channel, ByteBuffer buffer, long position) throws IOException {
        int wanted = buffer.remaining();
        int read = 0;
        try {
            read = channel.read(buffer, position);
        } catch (IOException failure) {
            readFailed(channel, position, wanted, failure);
            throw failure;
        } finally {
            if (read <= 0) {
                empty(channel, buffer);
            }
        }
        count(read);
        return read;
    }

    private static void count(int read) {
        try {
            if (read > 0) {
                TLS_READS.increment();
                TLS_BYTES.add(read);
            } else {
                TLS_ENDS_OF_FILE.increment();
            }
        } catch (Throwable own) {
            // Even a counter may find no memory. The host gets what was read.
        }
    }

    /**
     * Stands in for {@link FileChannel#size()} inside Kafka's {@code SslTransportLayer.transferFrom}.
     *
     * @param channel the file
     * @param buffer the transport layer's buffer, or null while it has none
     * @param position the transfer's position
     * @param count the transfer's count
     * @return what the call returned
     * @throws IOException what the call threw
     */
    public static long size(FileChannel channel, ByteBuffer buffer, long position, long count) throws IOException {
        try {
            return channel.size();
        } catch (IOException failure) {
            empty(channel, buffer);
            readFailed(channel, position, count, failure);
            throw failure;
        }
    }

    /**
     * Stands in for {@link FileChannel#read(ByteBuffer, long)} where a server reads a file for a response but not for TLS. Nothing is done to the buffer.
     *
     * @param channel the file
     * @param buffer where to read to
     * @param position where to read
     * @return what the read returned
     * @throws IOException what the read threw
     */
    public static int plainRead(FileChannel channel, ByteBuffer buffer, long position) throws IOException {
        int wanted = buffer.remaining();
        try {
            return channel.read(buffer, position);
        } catch (IOException failure) {
            plainReadFailed(channel, position, wanted, failure);
            throw failure;
        }
    }

    /**
     * Stands in for {@link FileChannel#size()} where a server asks for it before a transfer.
     *
     * @param channel the file
     * @return what the call returned
     * @throws IOException what the call threw
     */
    public static long plainSize(FileChannel channel) throws IOException {
        try {
            return channel.size();
        } catch (IOException failure) {
            plainReadFailed(channel, 0, 0, failure);
            throw failure;
        }
    }

    /**
     * Called at the beginning of a positional read in a JVM that rehearses failures, and only there.
     *
     * @param channel the file
     * @param position the position
     * @param count the count
     * @return how many bytes may be read
     * @throws IOException the rehearsed failure
     */
    public static long rehearseRead(FileChannel channel, long position, long count) throws IOException {
        Function<Object[], Object> rehearsed = rehearsal;
        if (rehearsed == null) {
            return count;
        }
        Object decision = rehearsed.apply(new Object[] {channel, position, count});
        if (decision instanceof IOException) {
            throw (IOException) decision;
        }
        return (Long) decision;
    }

    /**
     * Called at the beginning of a transfer in a JVM that rehearses failures, and only there.
     *
     * @param channel the file
     * @param position the position
     * @param count the count
     * @param target the target
     * @return how many bytes may be transferred
     * @throws IOException the rehearsed failure; it has been handed over
     */
    public static long rehearseTransfer(FileChannel channel, long position, long count, WritableByteChannel target)
            throws IOException {
        try {
            return rehearseRead(channel, position, count);
        } catch (IOException rehearsed) {
            transferEnded(channel, position, count, target, 0, rehearsed);
            throw rehearsed;
        }
    }

    private static void readFailed(FileChannel channel, long position, long count, IOException failure) {
        if (failure instanceof ClosedChannelException) {
            return;
        }
        try {
            TLS_FAILURES.increment();
            handOver("read", channel, position, count, null, failure);
        } catch (Throwable own) {
            // As above: the host sees its own exception, nothing else.
        }
    }

    private static void plainReadFailed(FileChannel channel, long position, long count, IOException failure) {
        if (failure instanceof ClosedChannelException) {
            return;
        }
        try {
            PLAIN_FAILURES.increment();
            handOver("plain", channel, position, count, null, failure);
        } catch (Throwable own) {
            // As above.
        }
    }

    private static void empty(FileChannel channel, ByteBuffer buffer) {
        if (buffer != null && buffer.hasRemaining()) {
            buffer.position(buffer.limit());
            try {
                STALE_PREVENTED.increment();
                Consumer<FileChannel> told = emptied;
                if (told != null) {
                    told.accept(channel);
                }
            } catch (Throwable own) {
                // As above.
            }
        }
    }

    private static void handOver(
            String what, FileChannel channel, long position, long count, WritableByteChannel target, Throwable failure) {
        Consumer<Object[]> taker = sink;
        if (taker != null) {
            taker.accept(new Object[] {what, channel, position, count, target, failure});
        }
    }
}
