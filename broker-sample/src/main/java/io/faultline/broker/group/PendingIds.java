package io.faultline.broker.group;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;

/** The ids that were given to members who have not joined with them yet. Guarded by its {@link Group}. */
final class PendingIds {

    private final GroupTimer timer;
    private final Map<String, Future<?>> expiries = new HashMap<>();

    PendingIds(GroupTimer timer) {
        this.timer = timer;
    }

    /** Keeps an id for some time; when that is over and nobody has joined with it, it is forgotten, and that is told. */
    void add(String id, long timeoutMs, Runnable forgotten) {
        expiries.put(id, timer.schedule(timeoutMs, () -> {
            if (expiries.remove(id) != null) {
                forgotten.run();
            }
        }));
    }

    /** Forgets an id; false if it is not known. */
    boolean remove(String id) {
        Future<?> expiry = expiries.remove(id);
        if (expiry != null) {
            expiry.cancel(false);
        }
        return expiry != null;
    }

    boolean isEmpty() {
        return expiries.isEmpty();
    }

    int size() {
        return expiries.size();
    }
}
