package io.faultline.broker.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A way to the broker: a request goes in, a response comes back or the connection is closed. */
interface Exchange extends AutoCloseable {

    /** How long the broker may take for what it must not hold back. Long: the machine may be busy with something else. */
    long PATIENCE_MS = 30_000;

    /** How long to wait for what the broker may hold back. */
    long SHORT_PATIENCE_MS = 4;

    /**
     * Sends a request, without its size.
     *
     * @return the response without its size; or null, where the connection was closed, where nothing is to come, or where it
     *     may come later and the connection is given up
     * @throws Finding if something else happened than was expected
     */
    ByteBuffer send(ByteBuffer request, Expectation expected) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;
}
