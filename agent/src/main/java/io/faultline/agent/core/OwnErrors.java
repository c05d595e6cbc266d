package io.faultline.agent.core;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts the agent's own faults. Safe for use from several threads. */
public final class OwnErrors {

    private final Map<Part, LongAdder> counts = new EnumMap<>(Part.class);
    private final Map<Part, LongSupplier> elsewhere = new ConcurrentHashMap<>();

    /** Makes one that has counted nothing. */
    public OwnErrors() {
        for (Part part : Part.values()) {
            counts.put(part, new LongAdder());
        }
    }

    /**
     * Counts a fault.
     *
     * @param part whose fault
     */
    public void count(Part part) {
        counts.get(part).increment();
    }

    /** Adds to a part what somebody else counts. */
    void also(Part part, LongSupplier counted) {
        elsewhere.put(part, counted);
    }

    /**
     * The faults of a part.
     *
     * @param part whose faults
     * @return how many
     */
    public long of(Part part) {
        return counts.get(part).sum() + elsewhere.getOrDefault(part, () -> 0).getAsLong();
    }
}
