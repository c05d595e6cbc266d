package io.faultline.broker.api;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Issues producer ids. They start at a random number of 62 bits and count up: unique through restarts as random UUIDs are,
 * with nothing on a disk that could be lost with it. Safe for use by any thread.
 */
public final class ProducerIds {

    private final AtomicLong next = new AtomicLong(new SecureRandom().nextLong() >>> 2);

    long issue() {
        return next.getAndIncrement();
    }
}
