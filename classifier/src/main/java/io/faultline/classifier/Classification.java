package io.faultline.classifier;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The verdict on one failed transfer, with all that is known about it.
 *
 * @param verdict what failed
 * @param reason why the check says so
 * @param hint what the text of the transfer's exception resembles; decides nothing
 * @param action what became of the verdict at the owner of the directory
 * @param directory the log directory as its owner spells it, else the configured root or the mount point that the file
 *     lies below, "" where nothing is known
 * @param owner the name of the owner that claims the directory, or null
 * @param file the file's name today where the system tells it, else the name that it was opened by, or null
 * @param region the region that the transfer attempted
 * @param unreadablePosition where the read failed, or -1
 * @param targetKind what the transfer was sent to
 * @param mount the mount that the file lies on, {@link Mount#UNKNOWN} where it is not known
 * @param transferFailure what the transfer threw; the caller saw the very same object
 * @param readFailure what the failing read threw, or null
 * @param failedAt when the transfer failed
 * @param waited from the failure until its check began
 * @param took from the beginning of the check to the verdict
 * @param channel the channel of the file, or null; for matching by identity only, it may be closed
 * @param target the channel that was written to, or null; for matching by identity only, it may be closed
 */
public record Classification(
        Verdict verdict,
        Reason reason,
        Hint hint,
        OwnerAction action,
        String directory,
        String owner,
        String file,
        Region region,
        long unreadablePosition,
        TargetKind targetKind,
        Mount mount,
        Throwable transferFailure,
        IOException readFailure,
        Instant failedAt,
        Duration waited,
        Duration took,
        FileChannel channel,
        WritableByteChannel target) {

    /**
     * Refuses a record that lacks what every verdict has.
     *
     * @throws NullPointerException if one of the parts that are never null is null
     */
    public Classification {
        Objects.requireNonNull(verdict, "verdict");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(hint, "hint");
        Objects.requireNonNull(action, "action");
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(region, "region");
        Objects.requireNonNull(targetKind, "targetKind");
        Objects.requireNonNull(mount, "mount");
        Objects.requireNonNull(failedAt, "failedAt");
        Objects.requireNonNull(waited, "waited");
        Objects.requireNonNull(took, "took");
    }

    /**
     * The position at which the read failed.
     *
     * @return the position, empty unless the verdict is {@link Verdict#DISK}
     */
    public OptionalLong unreadableAt() {
        return unreadablePosition < 0 ? OptionalLong.empty() : OptionalLong.of(unreadablePosition);
    }

    /**
     * Says whether this looks like a media error that had gone when the region was read again. It takes nothing offline;
     * it is worth a look at the disk.
     *
     * @return true if the transfer's text was that of a media error and the region could be read
     */
    public boolean suspectedTransient() {
        return hint == Hint.MEDIA_ERROR && reason == Reason.REGION_READABLE;
    }

    /**
     * The same verdict with what became of it.
     *
     * @param done what the owner did
     * @return a copy, never null
     */
    Classification with(OwnerAction done) {
        return new Classification(
                verdict,
                reason,
                hint,
                done,
                directory,
                owner,
                file,
                region,
                unreadablePosition,
                targetKind,
                mount,
                transferFailure,
                readFailure,
                failedAt,
                waited,
                took,
                channel,
                target);
    }

    /**
     * An exception for those who hand I/O errors on: it names file, position and region, its cause is the failing read,
     * and the failed transfer is attached as suppressed.
     *
     * @return a new exception, never null
     */
    public IOException asException() {
        IOException exception = new IOException(toString(), readFailure);
        if (transferFailure != null && transferFailure != readFailure) {
            exception.addSuppressed(transferFailure);
        }
        return exception;
    }

    /**
     * One line for a person.
     *
     * @return verdict, reason, file, region, position, device and the text of the failure
     */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(160)
                .append(verdict)
                .append(" (")
                .append(reason)
                .append(") in ")
                .append(directory.isEmpty() ? "an unknown directory" : directory)
                .append(": file ")
                .append(file)
                .append(", region ")
                .append(region.position())
                .append('+')
                .append(region.count());
        if (unreadablePosition >= 0) {
            line.append(", unreadable at ").append(unreadablePosition);
        }
        if (!mount.device().isEmpty()) {
            line.append(", device ").append(mount.device()).append(" (").append(mount.fileSystemType());
            line.append(" at ").append(mount.point()).append(')');
        }
        Throwable failure = readFailure != null ? readFailure : transferFailure;
        return failure == null
                ? line.toString()
                : line.append(": ").append(failure).toString();
    }
}
