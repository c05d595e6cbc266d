package io.faultline.classifier;

import java.util.Collection;

/**
 * A server that keeps files in log directories: it claims them, knows whether one is offline, and takes one offline.
 *
 * <p>Register one with {@link FailureFeed#register}. Faultline never infers that a directory is offline and never closes
 * a file by itself: it asks the owner and tells the owner. Every method is called on Faultline's own threads, must
 * return at once and do no I/O in the directory: the disk below may hang.
 */
public interface LogDirOwner {

    /**
     * A short name for logs and metrics, the same for the life of the owner.
     *
     * @return the name, never null
     */
    String name();

    /**
     * The directories that this owner claims, offline ones too, each spelled as the owner spells it. A file belongs to
     * the longest directory that it lies below; paths are compared as absolute strings, no link is followed.
     *
     * @return the directories, never null
     */
    Collection<String> directories();

    /**
     * Says whether a directory is offline already. No check is made in a directory that is.
     *
     * @param directory one of {@link #directories}, in the owner's spelling
     * @return true if it is offline
     */
    boolean isOffline(String directory);

    /**
     * Takes a directory offline, or starts to.
     *
     * @param directory one of {@link #directories}, in the owner's spelling
     * @param why the verdict, {@link Verdict#DISK}; {@link Classification#asException} makes a throwable of it
     * @return what was done: {@link OwnerAction#FED}, {@link OwnerAction#ALREADY}, {@link OwnerAction#UNKNOWN} or
     *     {@link OwnerAction#LIMITED}; never null
     */
    OwnerAction takeOffline(String directory, Classification why);
}
