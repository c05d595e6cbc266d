package io.faultline.broker.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.protocol.ApiKeys;

/** What went through a broker so far. Only ever grows. Safe for use by any thread; counting takes no lock, but for the first request of an API. */
public final class TrafficCounts {

    /** Each API at its first request, so that counts can be made before the schemas of all APIs are loaded. */
    private final Map<ApiKeys, Answered> answered = new ConcurrentHashMap<>();

    private final LongAdder malformedRequests = new LongAdder();
    private final LongAdder producedBytes = new LongAdder();
    private final LongAdder producedRecords = new LongAdder();
    private final LongAdder refusedProduces = new LongAdder();
    private final LongAdder fetchedBytes = new LongAdder();
    private final LongAdder refusedFetches = new LongAdder();

    private record Answered(LongAdder requests, LongAdder nanos) {

        Answered() {
            this(new LongAdder(), new LongAdder());
        }
    }

    /** Makes counts that stand at 0. */
    public TrafficCounts() {}

    /**
     * Counts a request that was answered, with whatever.
     *
     * @param api its API
     * @param nanos how long it took from when it was read until its answer was handed to the network, in nanoseconds
     */
    public void requestAnswered(ApiKeys api, long nanos) {
        Answered counts = answered.get(api);
        if (counts == null) {
            counts = answered.computeIfAbsent(api, first -> new Answered());
        }
        counts.requests.increment();
        counts.nanos.add(nanos);
    }

    /** Counts a request that could not be read. */
    public void requestMalformed() {
        malformedRequests.increment();
    }

    /**
     * Counts what was accepted for a partition. As in Kafka, a batch that an idempotent producer sends again counts again.
     *
     * @param bytes the size of the batches
     * @param records how many records they hold
     */
    public void produced(long bytes, long records) {
        producedBytes.add(bytes);
        producedRecords.add(records);
    }

    /** Counts a partition that was not written to, because of an error that its producer was told. */
    public void produceRefused() {
        refusedProduces.increment();
    }

    /**
     * Counts what a fetch was answered.
     *
     * @param bytes the size of the batches, of all partitions
     * @param refusedPartitions how many partitions got an error instead
     */
    public void fetched(long bytes, int refusedPartitions) {
        fetchedBytes.add(bytes);
        refusedFetches.add(refusedPartitions);
    }

    /**
     * How many requests were answered.
     *
     * @param api the API
     * @return the count
     */
    public long requests(ApiKeys api) {
        Answered counts = answered.get(api);
        return counts == null ? 0 : counts.requests.sum();
    }

    /**
     * How long they took in all.
     *
     * @param api the API
     * @return nanoseconds
     */
    public long requestNanos(ApiKeys api) {
        Answered counts = answered.get(api);
        return counts == null ? 0 : counts.nanos.sum();
    }

    /**
     * How many requests could not be read.
     *
     * @return the count
     */
    public long malformedRequests() {
        return malformedRequests.sum();
    }

    /**
     * How much was produced.
     *
     * @return bytes
     */
    public long producedBytes() {
        return producedBytes.sum();
    }

    /**
     * How many records were produced.
     *
     * @return the count
     */
    public long producedRecords() {
        return producedRecords.sum();
    }

    /**
     * How often a partition was not written to because of an error.
     *
     * @return the count
     */
    public long refusedProduces() {
        return refusedProduces.sum();
    }

    /**
     * How much fetches were answered. How many records that were nobody knows: the broker sends regions of files without reading them.
     *
     * @return bytes
     */
    public long fetchedBytes() {
        return fetchedBytes.sum();
    }

    /**
     * How often a partition was not fetched because of an error.
     *
     * @return the count
     */
    public long refusedFetches() {
        return refusedFetches.sum();
    }
}
