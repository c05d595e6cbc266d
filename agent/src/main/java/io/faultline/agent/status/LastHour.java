package io.faultline.agent.status;

import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.IntStream;

/** How many failures of each kind there were in each of the last 60 minutes. */
public final class LastHour {

    static final int MINUTES = 60;

    private static final int SECONDS = 60;

    /** By minute since the epoch, modulo 60. */
    private final Map<Kind, int[]> counts = new EnumMap<>(Kind.class);

    /** The last minute that was counted in, since the epoch. */
    private long last;

    LastHour() {
        for (Kind kind : Kind.values()) {
            counts.put(kind, new int[MINUTES]);
        }
    }

    void count(Kind kind, Instant at) {
        advanceTo(minuteOf(at));
        counts.get(kind)[(int) (last % MINUTES)]++;
    }

    LastHour asOf(Instant now) {
        LastHour copy = new LastHour();
        counts.forEach((kind, ofKind) -> copy.counts.put(kind, ofKind.clone()));
        copy.last = last;
        copy.advanceTo(minuteOf(now));
        return copy;
    }

    /**
     * The counts of a kind.
     *
     * @param kind the kind
     * @return one for each minute, the oldest first
     */
    int[] of(Kind kind) {
        int[] ofKind = counts.get(kind);
        return IntStream.rangeClosed(1, MINUTES)
                .map(minute -> ofKind[(int) ((last + minute) % MINUTES)])
                .toArray();
    }

    /** How many of a kind there were in all. */
    long sum(Kind kind) {
        return IntStream.of(counts.get(kind)).asLongStream().sum();
    }

    /** Empties the minutes in between. A clock that is set back counts in the last minute. */
    private void advanceTo(long minute) {
        long from = Math.max(last + 1, minute - MINUTES + 1);
        for (long passed = from; passed <= minute; passed++) {
            for (int[] ofKind : counts.values()) {
                ofKind[(int) (passed % MINUTES)] = 0;
            }
        }
        last = Math.max(last, minute);
    }

    private static long minuteOf(Instant at) {
        return at.getEpochSecond() / SECONDS;
    }
}
