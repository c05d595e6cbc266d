package io.faultline.broker.api;

import io.faultline.broker.log.Partition;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fetch that waits until there is enough to send, one of its partitions fails, or its time is over. It holds no thread:
 * appends look whether they complete it.
 */
final class DelayedFetch {

    private static final Logger LOG = LoggerFactory.getLogger(DelayedFetch.class);

    private final ApiRequest<FetchRequestData> request;
    private final Fetch fetch;
    private final FetchedPartitions before;
    private final UnaryOperator<FetchResponseData> session;
    private final Executor requestThreads;
    private final AtomicBoolean completed = new AtomicBoolean();
    private final Runnable watcher = this::completeIfEnough;
    private volatile Future<?> timeout;

    DelayedFetch(
            ApiRequest<FetchRequestData> request,
            Fetch fetch,
            FetchedPartitions before,
            UnaryOperator<FetchResponseData> session,
            Executor requestThreads) {
        this.request = request;
        this.fetch = fetch;
        this.before = before;
        this.session = session;
        this.requestThreads = requestThreads;
    }

    void start(ScheduledExecutorService timer) {
        before.partitions().forEach(partition -> partition.watch(watcher));
        try {
            timeout = timer.schedule(this::complete, request.body().maxWaitMs(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            complete();
            return;
        }
        if (completed.get()) {
            timeout.cancel(false);
        }
        // What was appended between the reading and the watch woke nobody.
        completeIfEnough();
    }

    private void completeIfEnough() {
        if (!completed.get() && before.wouldFindNow(request.body().minBytes())) {
            complete();
        }
    }

    private void complete() {
        if (completed.compareAndSet(false, true)) {
            for (Partition partition : before.partitions()) {
                partition.unwatch(watcher);
            }
            Future<?> scheduled = timeout;
            if (scheduled != null) {
                scheduled.cancel(false);
            }
            try {
                // On a request thread: reading again is I/O, which must not hold up the timer or a producer.
                requestThreads.execute(this::respond);
            } catch (RejectedExecutionException stopping) {
                request.closeConnection("the broker stops");
            }
        }
    }

    private void respond() {
        try {
            request.respond(session.apply(fetch.answer(fetch.read())));
        } catch (RuntimeException unexpected) {
            LOG.error("{} failed", request, unexpected);
            request.closeConnection(unexpected.toString());
        }
    }
}
