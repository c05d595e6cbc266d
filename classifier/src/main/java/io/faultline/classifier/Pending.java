package io.faultline.classifier;

/** A failed transfer that waits for its verdict. */
final class Pending {

    private final FailedTransfer transfer;
    private final Hint hint;
    private final String file;
    private Object identity;
    private volatile boolean settled;

    /**
     * Makes one that waits.
     *
     * @param transfer the failed transfer
     * @param hint what its text resembles
     * @param file the file's best known name, or null
     */
    Pending(FailedTransfer transfer, Hint hint, String file) {
        this.transfer = transfer;
        this.hint = hint;
        this.file = file;
    }

    FailedTransfer transfer() {
        return transfer;
    }

    Hint hint() {
        return hint;
    }

    String file() {
        return file;
    }

    Region region() {
        return transfer.region();
    }

    /** Says whether two failures are of one file. Check thread only: the first call asks the system. */
    boolean sameFile(Pending other, HostFile files) {
        if (transfer.channel() == other.transfer.channel()) {
            return true;
        }
        if (transfer.openedAs() == null || !transfer.openedAs().equals(other.transfer.openedAs())) {
            return false;
        }
        return identity(files).equals(other.identity(files));
    }

    private Object identity(HostFile files) {
        if (identity == null) {
            // A closed channel's file can be read by its name at best, so the name is what counts.
            identity = transfer.channel().isOpen() ? files.identity(transfer.channel()) : file;
        }
        return identity;
    }

    /** Marks it as accounted for. Check thread only. */
    void settle() {
        settled = true;
    }

    boolean settled() {
        return settled;
    }

    /** How long ago the transfer failed. */
    long ageNanos(long now) {
        return now - transfer.failedNanos();
    }
}
