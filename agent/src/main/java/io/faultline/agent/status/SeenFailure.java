package io.faultline.agent.status;

import io.faultline.classifier.Classification;
import io.faultline.classifier.Mount;
import io.faultline.classifier.OwnerAction;
import io.faultline.classifier.Reason;
import io.faultline.classifier.Region;
import io.faultline.classifier.Verdict;
import java.time.Instant;
import java.util.List;

/**
 * A failed transfer with its verdict, as it is remembered: without the host's channels and exceptions, which must not be kept alive. What fails in the same place again and again, as when
 * a consumer asks again, is remembered once.
 *
 * @param at when the transfer failed, the last time
 * @param times how often it did
 * @param verdict what failed
 * @param reason why the check says so
 * @param action what became of the verdict at the owner of the directory
 * @param suspectedTransient whether it looks like a media error that had gone when the region was read again
 * @param directory the log directory, "" where none is known
 * @param owner the name of the owner that claims the directory, or null
 * @param file the file's name, or null
 * @param region what was to be transferred
 * @param unreadableAt where the read failed, or -1
 * @param mount what the file lies on
 * @param text what the failing read said, else what the transfer said, "" for nothing
 */
public record SeenFailure(
        Instant at,
        long times,
        Verdict verdict,
        Reason reason,
        OwnerAction action,
        boolean suspectedTransient,
        String directory,
        String owner,
        String file,
        Region region,
        long unreadableAt,
        Mount mount,
        String text) {

    private static final int LONGEST_TEXT = 200;

    static SeenFailure of(Classification classification) {
        return new SeenFailure(
                classification.failedAt(),
                1,
                classification.verdict(),
                classification.reason(),
                classification.action(),
                classification.suspectedTransient(),
                classification.directory(),
                classification.owner(),
                classification.file(),
                classification.region(),
                classification.unreadablePosition(),
                classification.mount(),
                textOf(
                        classification.readFailure() != null
                                ? classification.readFailure()
                                : classification.transferFailure()));
    }

    /** What is the same when it fails again. */
    Object place() {
        return List.of(
                Kind.of(this), action, directory, file == null ? "" : file, unreadableAt < 0 ? "" : unreadableAt);
    }

    /** The same, seen as often before. */
    SeenFailure after(long before) {
        return new SeenFailure(
                at,
                times + before,
                verdict,
                reason,
                action,
                suspectedTransient,
                directory,
                owner,
                file,
                region,
                unreadableAt,
                mount,
                text);
    }

    /** Whether a person has to know of it. */
    boolean isOfTheDisk() {
        return verdict == Verdict.DISK || suspectedTransient;
    }

    /** The file's name below its directory, the full name where it lies elsewhere, "" where it is not known. */
    String shortName() {
        if (file == null) {
            return "";
        }
        boolean below = !directory.isEmpty()
                && file.length() > directory.length() + 1
                && file.startsWith(directory)
                && file.charAt(directory.length()) == '/';
        return below ? file.substring(directory.length() + 1) : file;
    }

    private static String textOf(Throwable failure) {
        String text = failure == null || failure.getMessage() == null ? "" : failure.getMessage();
        return text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) + "…" : text;
    }
}
