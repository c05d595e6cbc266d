package io.faultline.client;

import io.faultline.client.consume.ConsumePipeline;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Trip;
import io.faultline.client.watchdog.TripCause;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.errors.InterruptException;

/** What runs behind a {@link Consumer}. Nothing in here holds the consumer, so that it can be collected. */
final class ConsumerRuntime implements ClientCore.Owner {

    /** The topics are wanted for as long as the consumer lives. */
    private static final Duration ALWAYS = Duration.ofSeconds(Long.MAX_VALUE);

    private static final Duration ENDING = Duration.ofSeconds(1);

    private final ClientConfig config;
    private final ClientCore core;
    private final boolean closesInTime;
    private final ConsumePipeline pipeline;
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean closed;

    ConsumerRuntime(AbstractConfig values, Map<String, ?> given, Wiring wiring) {
        config = ClientConfig.of(
                values, "consumer", ALWAYS, values.getBoolean(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG));
        core = new ClientCore(config, wiring, loop -> Runnable::run);
        closesInTime = !wiring.disabled().contains(Watchdog.CLOSE);
        pipeline = new ConsumePipeline(
                core.loop(),
                core.network(),
                core.metadata(),
                ConsumerKeys.consume(values, given, config.clientId()),
                core.random());
    }

    void start() {
        core.start(this);
    }

    ClientCore core() {
        return core;
    }

    ConsumePipeline pipeline() {
        return pipeline;
    }

    String clientId() {
        return config.clientId();
    }

    /** How long a close may take; without its watchdog for ever. */
    Duration closeWithin(Duration timeout) {
        return closesInTime ? timeout : ALWAYS;
    }

    /** Says that the consumer is being closed; false if it was before. */
    boolean beginClose() {
        return closing.compareAndSet(false, true);
    }

    /** Calls are still taken in a close, since a rebalance listener may commit then. */
    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the consumer is closed");
        }
    }

    /** Ends the threads, and waits for a moment for that. */
    void end(Deadline deadline) {
        closed = true;
        long now = core.loop().now();
        if (deadline.isDue(now)) {
            core.trips().report(new Trip(Watchdog.CLOSE, TripCause.SILENCE, "close of " + clientId(), now));
        }
        core.shutDown();
        try {
            core.awaitEnd(ENDING);
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    /** The consumer cannot be reached any more, and was perhaps not closed. */
    void abandon() {
        if (closing.compareAndSet(false, true)) {
            core.shutDown();
        }
    }

    @Override
    public void onLoopLost(KafkaException cause) {
        pipeline.lost(cause);
    }

    @Override
    public void onClose() {
        pipeline.close(new KafkaException("the consumer is closed"));
    }
}
