package io.faultline.classifier;

/** What failed in a transfer: the conclusion of one check. */
public enum Verdict {
    /** The region could be read and the target is a socket or a pipe: the peer went away. */
    SOCKET,
    /** The region could be read and the target is neither a socket nor a pipe: the target failed. */
    TARGET,
    /** The region could not be read: the medium, or what connects it, failed. */
    DISK,
    /** The check could say neither: the file changed or closed, or the check itself ended early. */
    INCONCLUSIVE
}
