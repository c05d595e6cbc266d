package io.faultline.client.network;

import io.faultline.client.protocol.FramePart.FileRegion;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/** A region of a file could not be sent: the disk or the peer failed, which a verdict will tell. */
public final class FileSendException extends IOException {

    private static final long serialVersionUID = 1L;

    private final transient FileRegion region;
    private final transient SocketChannel target;

    /**
     * Makes the exception.
     *
     * @param region what was being sent, from where the failed call began
     * @param target where to; null where the file was read by itself, so that the peer cannot be the cause
     * @param cause the exception of the transfer or the read
     */
    public FileSendException(FileRegion region, SocketChannel target, IOException cause) {
        super("sending " + region.size() + " bytes at " + region.position() + " of " + region.name(), cause);
        this.region = region;
        this.target = target;
    }

    /**
     * What was being sent.
     *
     * @return the region, from where the failed call began
     */
    public FileRegion region() {
        return region;
    }

    /**
     * Where it was being sent; for telling verdicts apart only, it is closed.
     *
     * @return the socket, null where the file was read by itself
     */
    public SocketChannel target() {
        return target;
    }
}
