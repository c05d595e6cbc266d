package io.faultline.broker.api;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.message.FetchRequestData;

/**
 * The fetch sessions, so many at most. One that was not used for long makes room for another; whoever had it is told that it is not
 * known, and begins a new one. Safe for use by any thread.
 */
public final class FetchSessions {

    /** After how long without a fetch a session makes room for another, as in Kafka. */
    private static final Duration IDLE = Duration.ofMinutes(2);

    private final int slots;
    private final long idleNanos;
    private final RandomGenerator ids = new SecureRandom();
    /** The one that was not used for longest is the first. */
    private final Map<Integer, Used> byId = new LinkedHashMap<>();

    /**
     * Makes none yet.
     *
     * @param slots how many there are at most; 0 for none
     */
    public FetchSessions(int slots) {
        this(slots, IDLE);
    }

    /**
     * Makes none yet.
     *
     * @param slots how many there are at most; 0 for none
     * @param idle after how long without a fetch one makes room for another
     */
    public FetchSessions(int slots, Duration idle) {
        this.slots = slots;
        this.idleNanos = idle.toNanos();
    }

    /** Begins a session; empty where there is no room, or nothing to fetch. */
    synchronized Optional<FetchSession> open(FetchRequestData request, boolean byTopicId) {
        if (request.topics().isEmpty()) {
            return Optional.empty();
        }
        if (byId.size() >= slots) {
            Iterator<Used> eldest = byId.values().iterator();
            if (!eldest.hasNext() || System.nanoTime() - eldest.next().nanos < idleNanos) {
                return Optional.empty();
            }
            eldest.remove();
        }
        int id = ids.nextInt(1, Integer.MAX_VALUE);
        while (byId.containsKey(id)) {
            id = ids.nextInt(1, Integer.MAX_VALUE);
        }
        FetchSession session = new FetchSession(id, byTopicId, request);
        byId.put(id, new Used(session, System.nanoTime()));
        return Optional.of(session);
    }

    synchronized Optional<FetchSession> find(int id) {
        Used used = byId.remove(id);
        if (used == null) {
            return Optional.empty();
        }
        byId.put(id, new Used(used.session, System.nanoTime()));
        return Optional.of(used.session);
    }

    synchronized void close(int id) {
        byId.remove(id);
    }

    private record Used(FetchSession session, long nanos) {}
}
