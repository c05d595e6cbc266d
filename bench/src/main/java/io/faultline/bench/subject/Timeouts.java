package io.faultline.bench.subject;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The time-outs of a client under test, shorter than Kafka's defaults so that an outage can be longer than all of them.
 *
 * @param scale by what they are multiplied; 1 for an outage of minutes
 */
public record Timeouts(double scale) {

    private static final int DELIVERY_MS = 30_000;
    private static final int REQUEST_MS = 10_000;
    private static final int SETUP_MS = 5_000;
    private static final int MOST_SETUP_MS = 10_000;
    private static final int SESSION_MS = 15_000;
    private static final int HEARTBEAT_MS = 3_000;
    private static final int MAX_POLL_MS = 30_000;
    private static final int METADATA_MS = 30_000;
    private static final int API_MS = 20_000;
    private static final int CLOSE_MS = 10_000;
    private static final int LINGER_MS = 5;

    /**
     * How long a record may be on its way.
     *
     * @return {@code delivery.timeout.ms}
     */
    public Duration delivery() {
        return Duration.ofMillis(scaled(DELIVERY_MS));
    }

    /**
     * How long a request may go unanswered.
     *
     * @return {@code request.timeout.ms}
     */
    public Duration request() {
        return Duration.ofMillis(scaled(REQUEST_MS));
    }

    /**
     * How long a connection may take to come about, at most.
     *
     * @return {@code socket.connection.setup.timeout.max.ms}
     */
    public Duration setup() {
        return Duration.ofMillis(scaled(MOST_SETUP_MS));
    }

    /**
     * How long a member of a group may be unheard of.
     *
     * @return {@code session.timeout.ms}
     */
    public Duration session() {
        return Duration.ofMillis(scaled(SESSION_MS));
    }

    /**
     * How often a member of a group is heard of.
     *
     * @return {@code heartbeat.interval.ms}
     */
    public Duration heartbeat() {
        return Duration.ofMillis(scaled(HEARTBEAT_MS));
    }

    /**
     * What closing and flushing are given.
     *
     * @return their time-out
     */
    public Duration close() {
        return Duration.ofMillis(scaled(CLOSE_MS));
    }

    /**
     * Kafka's names for a producer.
     *
     * @return keys and values
     */
    public Map<String, String> producer() {
        Map<String, String> keys = both();
        keys.put("delivery.timeout.ms", text(DELIVERY_MS));
        keys.put("max.block.ms", text(API_MS));
        keys.put("linger.ms", Integer.toString(LINGER_MS));
        return keys;
    }

    /**
     * Kafka's names for a consumer.
     *
     * @return keys and values
     */
    public Map<String, String> consumer() {
        Map<String, String> keys = both();
        keys.put("session.timeout.ms", text(SESSION_MS));
        keys.put("heartbeat.interval.ms", text(HEARTBEAT_MS));
        keys.put("max.poll.interval.ms", text(MAX_POLL_MS));
        keys.put("default.api.timeout.ms", text(API_MS));
        keys.put("fetch.max.wait.ms", text(SETUP_MS / 10));
        keys.put("auto.offset.reset", "earliest");
        keys.put("enable.auto.commit", "false");
        return keys;
    }

    private Map<String, String> both() {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("request.timeout.ms", text(REQUEST_MS));
        keys.put("socket.connection.setup.timeout.ms", text(SETUP_MS));
        keys.put("socket.connection.setup.timeout.max.ms", text(MOST_SETUP_MS));
        keys.put("metadata.max.age.ms", text(METADATA_MS));
        return keys;
    }

    private String text(int millis) {
        return Integer.toString(scaled(millis));
    }

    private int scaled(int millis) {
        return Math.max(1, (int) Math.round(millis * scale));
    }
}
