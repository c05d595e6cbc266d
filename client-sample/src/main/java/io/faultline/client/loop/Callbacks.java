package io.faultline.client.loop;

import java.util.concurrent.Executor;

/** Where futures are completed and listeners called, one after the other. */
public interface Callbacks extends Executor {

    /**
     * Says whether the caller is in a callback, where waiting for another callback would be waiting for itself.
     *
     * @return true on the thread of the callbacks
     */
    boolean isCurrentThread();

    /**
     * Says that a callback is likely to be handed over in a moment, so that its thread can be woken while it is made ready.
     * If none comes, that does no harm.
     */
    void expect();
}
