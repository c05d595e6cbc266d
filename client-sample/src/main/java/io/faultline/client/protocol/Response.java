package io.faultline.client.protocol;

import java.time.Duration;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A response.
 *
 * @param body its content
 * @param throttle for how long the broker wants to be left alone, from now
 */
public record Response(ApiMessage body, Duration throttle) {}
