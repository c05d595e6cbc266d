package io.faultline.agent.core;

import java.io.IOException;
import java.time.Instant;

/** Where lines go in the end. Called by one thread at a time. */
interface Lines extends AutoCloseable {

    /**
     * Writes a line.
     *
     * @param at when it was said
     * @param line without its end
     * @param warns whether a person should look into it
     * @throws IOException if it cannot be written
     */
    void write(Instant at, String line, boolean warns) throws IOException;

    /** Does what had to wait; called every second or so. */
    default void tend() throws IOException {}

    @Override
    default void close() throws IOException {}
}
