package io.faultline.client.produce;

import java.time.Duration;
import org.apache.kafka.common.compress.Compression;

/**
 * How records are sent.
 *
 * @param acks {@code acks}: 0, 1 or -1 for all
 * @param idempotent {@code enable.idempotence}
 * @param batchSize {@code batch.size}
 * @param linger {@code linger.ms}
 * @param bufferMemory {@code buffer.memory}
 * @param maxRequestSize {@code max.request.size}
 * @param maxInFlight {@code max.in.flight.requests.per.connection}
 * @param retries {@code retries}
 * @param deliveryTimeout {@code delivery.timeout.ms}
 * @param requestTimeout {@code request.timeout.ms}
 * @param retryBackoff {@code retry.backoff.ms}
 * @param retryBackoffMax {@code retry.backoff.max.ms}
 * @param compression {@code compression.type} and its level
 * @param ignoreKeys {@code partitioner.ignore.keys}
 */
public record ProduceConfig(
        short acks,
        boolean idempotent,
        int batchSize,
        Duration linger,
        long bufferMemory,
        int maxRequestSize,
        int maxInFlight,
        int retries,
        Duration deliveryTimeout,
        Duration requestTimeout,
        Duration retryBackoff,
        Duration retryBackoffMax,
        Compression compression,
        boolean ignoreKeys) {}
