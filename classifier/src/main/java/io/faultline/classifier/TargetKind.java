package io.faultline.classifier;

import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;

/** What a transfer was sent to. */
public enum TargetKind {
    /** A {@link SocketChannel}. */
    SOCKET,
    /** A socket behind a TLS engine: the file was read into memory first. */
    TLS,
    /** A {@link Pipe.SinkChannel}. */
    PIPE,
    /** Another file. */
    FILE,
    /** Any other channel, or one that is not known. */
    OTHER;

    /**
     * Says what kind of target a channel is, by its type alone.
     *
     * @param target the channel that was written to, or null where it is not known
     * @return its kind, never null; {@link #OTHER} for null
     */
    public static TargetKind of(WritableByteChannel target) {
        if (target instanceof SocketChannel) {
            return SOCKET;
        }
        if (target instanceof Pipe.SinkChannel) {
            return PIPE;
        }
        return target instanceof FileChannel ? FILE : OTHER;
    }

    /**
     * Says whether a peer stands behind a target of this kind, so that a readable region means that the peer went away.
     *
     * @return true for sockets and pipes
     */
    public boolean hasPeer() {
        return this == SOCKET || this == TLS || this == PIPE;
    }
}
