package io.faultline.client.network;

import io.faultline.client.protocol.FramePart.FileRegion;
import java.io.IOException;

/** A region of a file could not be sent: the disk or the peer failed, which a verdict will tell. */
public final class FileSendException extends IOException {

    private static final long serialVersionUID = 1L;

    private final transient FileRegion region;

    /**
     * Makes the exception.
     *
     * @param region what was being sent, from where the failed call began
     * @param cause the exception of the transfer or the read
     */
    public FileSendException(FileRegion region, IOException cause) {
        super("sending " + region.size() + " bytes at " + region.position() + " of " + region.name(), cause);
        this.region = region;
    }

    /**
     * What was being sent.
     *
     * @return the region, from where the failed call began
     */
    public FileRegion region() {
        return region;
    }
}
