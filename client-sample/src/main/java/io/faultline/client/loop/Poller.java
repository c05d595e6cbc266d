package io.faultline.client.loop;

import java.io.IOException;

/** Where the event loop sleeps, and what wakes it: in production a selector with the client's sockets. */
public interface Poller {

    /**
     * Waits until something is ready, a {@link #wakeup} or the time is up, and handles what is ready.
     *
     * @param nanos how long to wait at most; 0 to look only
     * @return how many events were handled; 0 when nothing was ready
     * @throws IOException if the poller itself cannot go on
     */
    int poll(long nanos) throws IOException;

    /** Ends a wait that runs, or the next one. May be called from any thread. */
    void wakeup();

    /** Closes every socket. May be called from any thread, even while the loop is stuck outside {@link #poll}. */
    void close();
}
