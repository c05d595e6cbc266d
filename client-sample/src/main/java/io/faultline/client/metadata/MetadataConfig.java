package io.faultline.client.metadata;

import java.time.Duration;

/**
 * How the view is kept fresh.
 *
 * @param maxAge {@code metadata.max.age.ms}
 * @param maxIdle {@code metadata.max.idle.ms}: a topic that nobody asked about for so long is forgotten
 * @param requestTimeout {@code request.timeout.ms}
 * @param retryBackoff {@code retry.backoff.ms}
 * @param retryBackoffMax {@code retry.backoff.max.ms}
 * @param rebootstrap whether {@code metadata.recovery.strategy} is {@code rebootstrap}
 * @param rebootstrapTrigger {@code metadata.recovery.rebootstrap.trigger.ms}
 * @param createTopics {@code allow.auto.create.topics}
 */
public record MetadataConfig(
        Duration maxAge,
        Duration maxIdle,
        Duration requestTimeout,
        Duration retryBackoff,
        Duration retryBackoffMax,
        boolean rebootstrap,
        Duration rebootstrapTrigger,
        boolean createTopics) {}
