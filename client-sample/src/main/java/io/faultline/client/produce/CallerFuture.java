package io.faultline.client.produce;

import io.faultline.client.loop.Callbacks;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A future that is completed on the callback thread, and refuses to be waited for there. Whatever is derived from it is one,
 * too.
 *
 * @param <T> the result
 */
final class CallerFuture<T> extends CompletableFuture<T> {

    private static final CallerFuture<?> END = new CallerFuture<>(null);

    private final Callbacks callbacks;
    private CallerFuture<T> earlier;

    CallerFuture(Callbacks callbacks) {
        this.callbacks = callbacks;
    }

    /** What stands in {@link Waiters} when their outcome has been told; itself never completes. */
    @SuppressWarnings("unchecked") // nothing of that type is ever put in or taken out
    static <T> CallerFuture<T> end() {
        return (CallerFuture<T>) END;
    }

    boolean isEnd() {
        return this == END;
    }

    /** The one that was given out before this one for the same outcome, or null. */
    CallerFuture<T> earlier() {
        return earlier;
    }

    /** Before others can see it. */
    void setEarlier(CallerFuture<T> before) {
        earlier = before;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CallerFuture<>(callbacks);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        refuseInCallback();
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        refuseInCallback();
        return super.get(timeout, unit);
    }

    @Override
    public T join() {
        refuseInCallback();
        return super.join();
    }

    private void refuseInCallback() {
        if (!isDone() && callbacks.isCurrentThread()) {
            throw new IllegalStateException("a callback that waits for another one would wait for itself");
        }
    }
}
