package io.faultline.client.virtual;

import io.faultline.client.Delivery;
import io.faultline.client.loop.Callbacks;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.metadata.MetadataConfig;
import io.faultline.client.network.ConnectConfig;
import io.faultline.client.network.Network;
import io.faultline.client.produce.ProduceConfig;
import io.faultline.client.produce.ProducePipeline;
import io.faultline.client.produce.ProducePipeline.Outgoing;
import io.faultline.client.watchdog.Trip;
import io.faultline.client.watchdog.Trips;
import io.faultline.client.watchdog.Watchdog;
import io.faultline.client.watchdog.Watchdogs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;

/** A producer whose loop the test turns, on virtual time, with the defaults of Kafka but for {@code linger.ms} of 0. */
final class VirtualProducer {

    static final Duration DELIVERY = Duration.ofSeconds(120);
    static final Duration REQUEST = Duration.ofSeconds(30);

    private final VirtualTime time;
    private final Trips trips;
    private final List<Trip> tripped = new ArrayList<>();
    private final EventLoop loop;
    private final Network network;
    private final Metadata metadata;
    private final ProducePipeline pipeline;

    VirtualProducer(VirtualTime time, VirtualNetwork net, VirtualCluster cluster) {
        this(time, net, cluster, Settings.DEFAULT);
    }

    /** What a test wants to be different. */
    record Settings(
            boolean idempotent,
            int maxInFlight,
            int batchSize,
            long bufferMemory,
            Duration linger,
            Set<Watchdog> disabled) {

        static final Settings DEFAULT =
                new Settings(true, 5, 16_384, 32 << 20, Duration.ZERO, EnumSet.noneOf(Watchdog.class));

        Settings without(Watchdog watchdog) {
            return new Settings(idempotent, maxInFlight, batchSize, bufferMemory, linger, EnumSet.of(watchdog));
        }

        Settings batchSize(int size) {
            return new Settings(idempotent, maxInFlight, size, bufferMemory, linger, disabled);
        }

        Settings linger(Duration time) {
            return new Settings(idempotent, maxInFlight, batchSize, bufferMemory, time, disabled);
        }
    }

    VirtualProducer(VirtualTime time, VirtualNetwork net, VirtualCluster cluster, Settings settings) {
        this.time = time;
        Callbacks here = new Callbacks() {
            @Override
            public boolean isCurrentThread() {
                return false;
            }

            @Override
            public void execute(Runnable callback) {
                callback.run();
            }

            @Override
            public void expect() {
                // There is no thread to wake.
            }
        };
        trips = new Trips("virtual", here);
        trips.listen(tripped::add);
        Watchdogs watchdogs = new Watchdogs(time, trips, settings.disabled());
        loop = new EventLoop("virtual", time, watchdogs);
        Duration backoff = Duration.ofMillis(100);
        Duration backoffMax = Duration.ofSeconds(1);
        Random random = new Random(1);
        network = new Network(
                loop,
                net,
                net,
                new ConnectConfig(
                        "virtual",
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(30),
                        Duration.ofMillis(50),
                        backoffMax,
                        Duration.ofMinutes(9)),
                cluster.bootstrap(),
                random);
        metadata = new Metadata(
                loop,
                network,
                new MetadataConfig(
                        Duration.ofMinutes(5),
                        Duration.ofMinutes(5),
                        REQUEST,
                        backoff,
                        backoffMax,
                        true,
                        Duration.ofMinutes(5),
                        true),
                random);
        pipeline = new ProducePipeline(
                loop,
                here,
                network,
                metadata,
                new ProduceConfig(
                        (short) -1,
                        settings.idempotent(),
                        settings.batchSize(),
                        settings.linger(),
                        settings.bufferMemory(),
                        1 << 20,
                        settings.maxInFlight(),
                        Integer.MAX_VALUE,
                        DELIVERY,
                        REQUEST,
                        backoff,
                        backoffMax,
                        Compression.NONE,
                        false),
                null,
                random);
    }

    /** Lets time pass. */
    void run(Duration duration) {
        long end = time.nanos() + duration.toNanos();
        time.sleepNoLongerThan(end);
        do {
            turn();
        } while (time.nanos() < end);
        time.sleepNoLongerThan(Long.MAX_VALUE);
    }

    /** Lets time pass until something is true, and tells how long it took. */
    Duration runUntil(Duration most, BooleanSupplier condition) {
        long begin = time.nanos();
        long end = begin + most.toNanos();
        time.sleepNoLongerThan(end);
        while (!condition.getAsBoolean()) {
            if (time.nanos() >= end) {
                throw new AssertionError("not within " + most);
            }
            turn();
        }
        time.sleepNoLongerThan(Long.MAX_VALUE);
        return Duration.ofNanos(time.nanos() - begin);
    }

    /** Makes one turn of the loop. */
    void turn() {
        try {
            loop.turn();
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Gets to know a topic. */
    void know(String topic) {
        loop.execute(() -> metadata.want(topic));
        runUntil(Duration.ofMinutes(1), () -> metadata.view().topic(topic).isPresent());
    }

    /** Sends a value to a partition of a topic that is known. */
    Delivery send(String topic, int partition, String value) {
        return sendAt(topic, partition, value, 0);
    }

    /** Sends a value when the wall clock shows a time. */
    Delivery sendAt(String topic, int partition, String value, long timestamp) {
        try {
            return pipeline.send(
                    new Outgoing(
                            topic, partition, timestamp, null, value.getBytes(StandardCharsets.UTF_8), new Header[0]),
                    Duration.ZERO);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** Sends values one batch each, and makes a turn after each so that they are under way one after the other. */
    List<Delivery> sendEach(String topic, int partition, String... values) {
        List<Delivery> deliveries = new ArrayList<>();
        for (String value : values) {
            deliveries.add(send(topic, partition, value));
            turn();
            turn();
        }
        return deliveries;
    }

    ProducePipeline pipeline() {
        return pipeline;
    }

    Metadata metadata() {
        return metadata;
    }

    Network network() {
        return network;
    }

    EventLoop loop() {
        return loop;
    }

    Trips trips() {
        return trips;
    }

    /** What fired, in order. */
    List<Trip> tripped() {
        return tripped;
    }
}
