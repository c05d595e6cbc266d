package io.faultline.bench.startup;

import java.io.IOException;

/** What is started again and again, with an agent and without. For one thread. */
interface Host extends AutoCloseable {

    /** Starts it, waits until it is of use, and ends it. */
    Start start(JvmAgent agent) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;
}
