package io.faultline.broker.api;

import java.security.SecureRandom;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.message.FetchRequestData;

/**
 * The fetch sessions, so many at most. One that was not used for two minutes makes room for another. Safe for use by any thread.
 */
final class FetchSessions {

    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final int slots;
    private final RandomGenerator ids = new SecureRandom();
    /** The one that was not used for longest is the first. */
    private final Map<Integer, Used> byId = new LinkedHashMap<>();

    FetchSessions(int slots) {
        this.slots = slots;
    }

    /** Begins a session; empty where there is no room, or nothing to fetch. */
    synchronized Optional<FetchSession> open(FetchRequestData request, boolean byTopicId) {
        if (request.topics().isEmpty()) {
            return Optional.empty();
        }
        if (byId.size() >= slots) {
            Iterator<Used> eldest = byId.values().iterator();
            if (!eldest.hasNext() || System.nanoTime() - eldest.next().nanos < IDLE_NANOS) {
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
