package io.faultline.broker.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * A broker's figures as Micrometer meters.
 *
 * <pre>{@code
 * new BrokerMeters(broker::figures, Tags.of("broker", "left")).bindTo(registry);
 * }</pre>
 *
 * <p>All names begin with {@code faultline.broker.}:
 *
 * <ul>
 *   <li>{@code requests}, tag {@code api}: a timer, from when a request was read until its answer was handed to the network, long polls included;
 *   <li>{@code requests.malformed}: requests that could not be read;
 *   <li>{@code produced.bytes}, {@code produced.records}, {@code fetched.bytes};
 *   <li>{@code refused}, tag {@code api} = {@code PRODUCE}, {@code FETCH}: partitions that were answered with an error;
 *   <li>{@code connections}, {@code connections.accepted}, {@code handshakes.failed}, tag {@code listener};
 *   <li>{@code directory.offline}, 0 or 1, and {@code directory.log.size}, tag {@code dir}; {@code directories.offline};
 *   <li>{@code topics}; {@code partitions}, tag {@code state} = {@code online}, {@code offline};
 *   <li>{@code groups}, tag {@code state}.
 * </ul>
 *
 * <p>Tags are bounded: the announced APIs, listeners, configured directories and states; no topic, group, client or connection. Meters of two brokers that have the same
 * tags would be the same meters: give each broker of a registry tags of its own. Safe for use by any thread.
 */
public final class BrokerMeters implements MeterBinder, AutoCloseable {

    private static final String PREFIX = "faultline.broker.";

    private final Supplier<BrokerFigures> figures;
    private final Tags tags;
    private final List<Bound> bound = new CopyOnWriteArrayList<>();

    /**
     * Makes the binder.
     *
     * @param figures gives the figures of the broker, which is running: those of its latest start
     * @param tags what all its meters are tagged with, may be empty
     */
    public BrokerMeters(Supplier<BrokerFigures> figures, Iterable<Tag> tags) {
        this.figures = figures;
        this.tags = Tags.of(tags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        BrokerFigures now = figures.get();
        for (ApiKeys api : now.apis()) {
            requests(registry, api);
        }
        counter(
                registry,
                "requests.malformed",
                null,
                "Requests that could not be read",
                Tags.empty(),
                of -> of.traffic().malformedRequests());
        counter(
                registry,
                "produced.bytes",
                "bytes",
                "Batches that were accepted",
                Tags.empty(),
                of -> of.traffic().producedBytes());
        counter(
                registry,
                "produced.records",
                null,
                "Records that were accepted",
                Tags.empty(),
                of -> of.traffic().producedRecords());
        counter(
                registry,
                "fetched.bytes",
                "bytes",
                "Batches that fetches were answered with",
                Tags.empty(),
                of -> of.traffic().fetchedBytes());
        String refused = "Partitions that were answered with an error";
        counter(
                registry,
                "refused",
                null,
                refused,
                Tags.of("api", ApiKeys.PRODUCE.name()),
                of -> of.traffic().refusedProduces());
        counter(
                registry,
                "refused",
                null,
                refused,
                Tags.of("api", ApiKeys.FETCH.name()),
                of -> of.traffic().refusedFetches());
        for (String protocol : now.protocols()) {
            connections(registry, protocol);
        }
        for (String directory : now.directories()) {
            directory(registry, directory);
        }
        gauge(
                registry,
                "directories.offline",
                null,
                "Log directories that failed",
                Tags.empty(),
                BrokerFigures::offlineDirectories);
        gauge(registry, "topics", null, "Topics", Tags.empty(), BrokerFigures::topicCount);
        gauge(
                registry,
                "partitions",
                null,
                "Partitions",
                Tags.of("state", "online"),
                of -> of.partitionCount() - of.offlinePartitionCount());
        gauge(
                registry,
                "partitions",
                null,
                "Partitions",
                Tags.of("state", "offline"),
                BrokerFigures::offlinePartitionCount);
        for (String state : now.groups().keySet()) {
            gauge(
                    registry,
                    "groups",
                    null,
                    "Consumer groups",
                    Tags.of("state", state),
                    of -> of.groups().get(state));
        }
    }

    private void requests(MeterRegistry registry, ApiKeys api) {
        keep(
                registry,
                FunctionTimer.builder(
                                PREFIX + "requests",
                                figures,
                                of -> of.get().traffic().requests(api),
                                of -> of.get().traffic().requestNanos(api),
                                TimeUnit.NANOSECONDS)
                        .tags(tags)
                        .tag("api", api.name())
                        .description("From when a request was read until its answer was handed to the network")
                        .register(registry));
    }

    private void connections(MeterRegistry registry, String protocol) {
        Tags listener = Tags.of("listener", protocol);
        gauge(registry, "connections", null, "Open connections", listener, of -> of.connections(protocol));
        counter(
                registry,
                "connections.accepted",
                null,
                "Connections that were accepted",
                listener,
                of -> of.acceptedConnections(protocol));
        counter(
                registry,
                "handshakes.failed",
                null,
                "Connections that ended in their TLS handshake",
                listener,
                of -> of.failedHandshakes(protocol));
    }

    private void directory(MeterRegistry registry, String directory) {
        Tags dir = Tags.of("dir", directory);
        gauge(
                registry,
                "directory.offline",
                null,
                "1 for a log directory that failed",
                dir,
                of -> of.isOffline(directory) ? 1 : 0);
        gauge(
                registry,
                "directory.log.size",
                "bytes",
                "What the online logs in a directory hold",
                dir,
                of -> of.logBytes(directory));
    }

    private void counter(
            MeterRegistry registry,
            String name,
            String unit,
            String description,
            Tags more,
            ToDoubleFunction<BrokerFigures> count) {
        keep(
                registry,
                FunctionCounter.builder(PREFIX + name, figures, of -> count.applyAsDouble(of.get()))
                        .tags(tags)
                        .tags(more)
                        .baseUnit(unit)
                        .description(description)
                        .register(registry));
    }

    private void gauge(
            MeterRegistry registry,
            String name,
            String unit,
            String description,
            Tags more,
            ToDoubleFunction<BrokerFigures> value) {
        keep(
                registry,
                Gauge.builder(PREFIX + name, figures, of -> value.applyAsDouble(of.get()))
                        .tags(tags)
                        .tags(more)
                        .baseUnit(unit)
                        .description(description)
                        // The registry would otherwise let go of the figures, and show NaN.
                        .strongReference(true)
                        .register(registry));
    }

    private void keep(MeterRegistry registry, Meter meter) {
        bound.add(new Bound(registry, meter));
    }

    /** Takes the meters out of every registry again. */
    @Override
    public void close() {
        bound.forEach(entry -> entry.registry().remove(entry.meter()));
        bound.clear();
    }

    private record Bound(MeterRegistry registry, Meter meter) {}
}
