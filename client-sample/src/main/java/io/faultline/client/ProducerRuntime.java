package io.faultline.client;

import io.faultline.client.produce.ProduceConfig;
import io.faultline.client.produce.ProducePipeline;
import io.faultline.client.produce.SpoolSide;
import io.faultline.client.spool.Spool;
import io.faultline.client.spool.SpoolConfig;
import io.faultline.client.spool.SpoolFigures;
import io.faultline.client.spool.SpoolHooks;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Trip;
import io.faultline.client.watchdog.TripCause;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/** What runs behind a {@link Producer}. Nothing in here holds the producer, so that it can be collected. */
final class ProducerRuntime implements ClientCore.Owner {

    /**
     * How long {@code close} waits for the threads to end, and so for what was given up to be settled and told, though its own time may be over. No longer: a callback may wait
     * for the close.
     */
    private static final Duration ENDING = Duration.ofSeconds(1);

    private final ClientConfig config;
    private final ClientCore core;
    private final ProducePipeline pipeline;
    private final Set<Watchdog> disabled;
    private final SpoolSide spool; // null without one
    private final AtomicBoolean closing = new AtomicBoolean();

    ProducerRuntime(AbstractConfig values, Map<String, ?> given, SpoolHooks hooks, Wiring wiring) {
        config = ClientConfig.of(
                values, "producer", ClientConfig.millis(values, ProducerConfig.METADATA_MAX_IDLE_CONFIG), true);
        ProduceConfig produce = ProducerKeys.produce(values, given);
        disabled = wiring.disabled();
        Optional<SpoolConfig> spoolConfig = ProducerKeys.spool(values, produce.idempotent());
        AtomicReference<Spool> opened = new AtomicReference<>();
        core = new ClientCore(
                config,
                wiring,
                loop -> spoolConfig
                        .map(where -> {
                            opened.set(new Spool(loop, where, "faultline-" + config.clientId() + "-spool"));
                            return opened.get().files();
                        })
                        .orElse(Runnable::run));
        spool = spoolConfig.map(where -> side(opened.get(), hooks)).orElse(null);
        pipeline = new ProducePipeline(
                core.loop(), core.callbacks(), core.network(), core.metadata(), produce, spool, core.random());
    }

    private SpoolSide side(Spool made, SpoolHooks hooks) {
        try {
            made.open();
        } catch (KafkaException refused) {
            core.neverStarted();
            throw refused;
        }
        return new SpoolSide(made, new SpoolFigures(made), hooks, core.callbacks());
    }

    /** How the spool stands, empty without one. */
    Optional<SpoolFigures> spool() {
        return Optional.ofNullable(spool).map(SpoolSide::figures);
    }

    void start() {
        core.start(this);
    }

    ClientCore core() {
        return core;
    }

    ProducePipeline pipeline() {
        return pipeline;
    }

    String clientId() {
        return config.clientId();
    }

    long now() {
        return core.loop().now();
    }

    void requireOpen() {
        if (core.lost() != null) {
            throw new IllegalStateException(
                    "the producer is closed: " + core.lost().getMessage(), core.lost());
        }
        if (closing.get()) {
            throw new IllegalStateException("the producer is closed");
        }
    }

    void flush(Duration timeout) {
        if (core.callbacks().isCurrentThread()) {
            throw new IllegalStateException("flush in a callback would wait for itself");
        }
        try {
            await(pipeline.flush(), timeout, Watchdog.FLUSH);
        } catch (java.util.concurrent.TimeoutException late) {
            trip(Watchdog.FLUSH, "flush for " + timeout);
            throw new TimeoutException("not all records were settled within " + timeout);
        } catch (ExecutionException failure) {
            throw new KafkaException(
                    "a record that was flushed failed: " + failure.getCause().getMessage(), failure.getCause());
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    void close(Duration timeout) {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        if (core.callbacks().isCurrentThread()) {
            core.shutDown();
            return;
        }
        try {
            await(pipeline.flush(), timeout, Watchdog.CLOSE);
        } catch (java.util.concurrent.TimeoutException late) {
            trip(Watchdog.CLOSE, "close for " + timeout);
        } catch (ExecutionException ignored) {
            // The records' own futures tell.
        } catch (InterruptedException interrupted) {
            core.shutDown();
            throw new InterruptException(interrupted);
        }
        awaitStores();
        core.shutDown();
        try {
            core.awaitEnd(ENDING);
            if (spool != null) {
                spool.spool().awaitEnd(ENDING);
            }
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    /** What the spool is about to keep for the next producer is not failed beneath it; a disk that hangs is not waited for. */
    private void awaitStores() {
        if (spool == null) {
            return;
        }
        CompletableFuture<Void> decided = new CompletableFuture<>();
        core.loop().execute(() -> spool.spool().takeNoMore().thenRun(() -> decided.complete(null)));
        try {
            decided.get(Deadline.saturatedNanos(ENDING), TimeUnit.NANOSECONDS);
        } catch (java.util.concurrent.TimeoutException | ExecutionException undecided) {
            // Then its records fail, and may be delivered all the same.
        } catch (InterruptedException interrupted) {
            core.shutDown();
            throw new InterruptException(interrupted);
        }
    }

    private void await(CompletableFuture<Void> all, Duration timeout, Watchdog watchdog)
            throws InterruptedException, ExecutionException, java.util.concurrent.TimeoutException {
        if (disabled.contains(watchdog)) {
            all.get();
        } else if (core.lost() == null) {
            all.get(Deadline.saturatedNanos(timeout), TimeUnit.NANOSECONDS);
        }
    }

    private void trip(Watchdog watchdog, String subject) {
        core.trips().report(new Trip(watchdog, TripCause.SILENCE, subject, now()));
    }

    /** The producer cannot be reached any more, and was perhaps not closed. */
    void abandon() {
        if (closing.compareAndSet(false, true)) {
            core.shutDown();
        }
    }

    @Override
    public void onLoopLost(KafkaException cause) {
        pipeline.lost(cause);
        closeSpool();
    }

    @Override
    public void onClose() {
        pipeline.close(new KafkaException("the producer is closed"));
        closeSpool();
    }

    private void closeSpool() {
        if (spool != null) {
            spool.spool().close();
        }
    }
}
