package io.faultline.agent.core;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the agent's own faults. Safe for use from several threads. */
public final class OwnErrors {

    private final Map<Part, LongAdder> counts = new EnumMap<>(Part.class);

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

    /**
     * The faults of a part.
     *
     * @param part whose faults
     * @return how many
     */
    public long of(Part part) {
        return counts.get(part).sum();
    }

    /**
     * The faults of all parts.
     *
     * @return how many
     */
    public long total() {
        return counts.values().stream().mapToLong(LongAdder::sum).sum();
    }
}
