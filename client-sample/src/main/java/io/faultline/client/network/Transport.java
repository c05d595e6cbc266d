package io.faultline.client.network;

import java.io.IOException;
import java.nio.ByteBuffer;

/** What lies between frames and the socket: nothing, or TLS. Never blocks. */
interface Transport {

    /**
     * Goes on with opening.
     *
     * @return true once data can flow
     * @throws org.apache.kafka.common.errors.AuthenticationException if the peers do not trust each other
     * @throws IOException if the connection is of no use
     */
    boolean open() throws IOException;

    /**
     * Reads what is there.
     *
     * @param into where to
     * @return how many bytes, 0 if there are none now, -1 if there never will be
     * @throws IOException if the connection is of no use
     */
    int read(ByteBuffer into) throws IOException;

    /**
     * Writes as much as goes, and as much at once as goes: a peer that gets a request in pieces is woken for each.
     *
     * @param from what to write, one behind the other; advanced past what was taken
     * @throws IOException if the connection is of no use
     */
    void write(ByteBuffer[] from) throws IOException;

    /** Says whether there is something left of what is written. */
    static boolean haveRemaining(ByteBuffer[] from) {
        for (ByteBuffer each : from) {
            if (each.hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Hands what was taken and kept back to the socket.
     *
     * @return true if nothing is kept back
     * @throws IOException if the connection is of no use
     */
    boolean flush() throws IOException;

    /**
     * Says whether bytes may go from a file to the socket by themselves.
     *
     * @return false where they have to be encrypted
     */
    boolean isPlain();

    /**
     * Says whether something was read from the socket already that {@link #read} has not returned.
     *
     * @return true if reading must go on though the socket may not be readable
     */
    boolean hasReadAhead();

    /** Says good-bye as far as that takes no waiting. */
    void sayGoodbye();
}
