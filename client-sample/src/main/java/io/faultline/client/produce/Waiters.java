package io.faultline.client.produce;

import io.faultline.client.loop.Callbacks;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The futures that were given out for one outcome. None is made before somebody asks, since most records are asked about once, and many never. Safe for use from several threads.
 *
 * @param <T> the result
 */
final class Waiters<T> extends AtomicReference<CallerFuture<T>> {

    private static final long serialVersionUID = 1;

    /**
     * Gives out a future.
     *
     * @param callbacks on whose thread it completes
     * @param completion completes it, if the outcome has been told before
     * @return a new one
     */
    CallerFuture<T> add(Callbacks callbacks, Consumer<CallerFuture<T>> completion) {
        CallerFuture<T> fresh = new CallerFuture<>(callbacks);
        CallerFuture<T> latest = get();
        while (latest == null || !latest.isEnd()) {
            fresh.setEarlier(latest);
            if (compareAndSet(latest, fresh)) {
                return fresh;
            }
            latest = get();
        }
        completion.accept(fresh); // nothing hangs on it yet
        return fresh;
    }

    /** Tells all that were given out; those of later are told when they are. On the callback thread. */
    void tell(Consumer<CallerFuture<T>> completion) {
        CallerFuture<T> waiter = getAndSet(CallerFuture.end());
        while (waiter != null && !waiter.isEnd()) {
            CallerFuture<T> earlier = waiter.earlier();
            completion.accept(waiter);
            waiter = earlier;
        }
    }
}
