package io.faultline.classifier;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;

/**
 * A transfer, or the read inside one, that failed. Making and submitting one does no I/O and takes no lock, so the thread that
 * saw the failure may do it.
 *
 * @param channel the file's channel; it is never closed by Faultline
 * @param openedAs the name that the file was opened by, or null; it may have been renamed since
 * @param region what the transfer attempted
 * @param target the channel that was written to, or null where it is not known
 * @param targetKind what the target is
 * @param failure what was thrown
 * @param readFailedByItself true if a read of the file alone failed, before any target was touched; no re-read is needed then
 * @param failedMillis when it failed, in milliseconds since the epoch
 * @param failedNanos when it failed, as {@link System#nanoTime}
 */
public record FailedTransfer(
        FileChannel channel,
        String openedAs,
        Region region,
        WritableByteChannel target,
        TargetKind targetKind,
        Throwable failure,
        boolean readFailedByItself,
        long failedMillis,
        long failedNanos) {

    /**
     * Refuses a record that lacks what a check needs.
     *
     * @throws NullPointerException if channel, region, target kind or failure is null
     */
    public FailedTransfer {
        Objects.requireNonNull(channel, "channel");
        Objects.requireNonNull(region, "region");
        Objects.requireNonNull(targetKind, "targetKind");
        Objects.requireNonNull(failure, "failure");
    }

    /**
     * A failed {@link FileChannel#transferTo}.
     *
     * @param channel the file's channel
     * @param openedAs the name that the file was opened by, or null
     * @param position the transfer's position
     * @param count the transfer's count, clamped here to what one transfer attempts at most. The JDK clamps it to the size of the
     *     file too, which cannot be asked for on the caller's thread: with a count that reaches beyond the end, a region that can be
     *     read ends as {@link Reason#END_OF_FILE}
     * @param target the target, or null where it is not known
     * @param failure what was thrown
     * @return the failure as of now, never null
     */
    public static FailedTransfer ofTransfer(
            FileChannel channel,
            String openedAs,
            long position,
            long count,
            WritableByteChannel target,
            Throwable failure) {
        return new FailedTransfer(
                channel,
                openedAs,
                Region.attempted(position, count),
                target,
                TargetKind.of(target),
                failure,
                false,
                System.currentTimeMillis(),
                System.nanoTime());
    }

    /**
     * A read of the file, or a call of its size, on its way to a TLS socket, that failed by itself, before the socket was touched.
     *
     * @param channel the file's channel
     * @param openedAs the name that the file was opened by, or null
     * @param position the read's position
     * @param count how many bytes were to be read
     * @param failure what was thrown
     * @return the failure as of now, never null
     */
    public static FailedTransfer ofRead(
            FileChannel channel, String openedAs, long position, long count, Throwable failure) {
        return byItself(channel, openedAs, position, count, TargetKind.TLS, failure);
    }

    /**
     * A read of the file, or a call of its size, that failed by itself on its way to a target that is not known.
     *
     * @param channel the file's channel
     * @param openedAs the name that the file was opened by, or null
     * @param position the read's position
     * @param count how many bytes were to be read
     * @param failure what was thrown
     * @return the failure as of now, never null
     */
    public static FailedTransfer ofPlainRead(
            FileChannel channel, String openedAs, long position, long count, Throwable failure) {
        return byItself(channel, openedAs, position, count, TargetKind.OTHER, failure);
    }

    private static FailedTransfer byItself(
            FileChannel channel, String openedAs, long position, long count, TargetKind targetKind, Throwable failure) {
        return new FailedTransfer(
                channel,
                openedAs,
                Region.attempted(position, count),
                null,
                targetKind,
                failure,
                true,
                System.currentTimeMillis(),
                System.nanoTime());
    }

    /**
     * Says whether a throwable of a transfer is one to hand over: an {@link IOException}, or the
     * {@link InternalError} of a mapped transfer, but no {@link ClosedChannelException}, for then the file was not read.
     *
     * @param failure what was thrown
     * @return true if a check can tell more
     */
    public static boolean isWorthACheck(Throwable failure) {
        return (failure instanceof IOException || failure instanceof InternalError)
                && !(failure instanceof ClosedChannelException);
    }
}
