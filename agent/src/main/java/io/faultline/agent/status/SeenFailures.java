package io.faultline.agent.status;

import io.faultline.classifier.Classification;
import io.faultline.classifier.FailureListener;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Remembers the latest verdicts, and how many there were in each minute of the last hour. Bounded: clients that go, be they ever so many, push out no failure of a disk. Safe for use
 * from several threads.
 */
public final class SeenFailures implements FailureListener {

    private static final int MOST_OF_DISKS = 20;
    private static final int MOST_OTHERS = 10;
    private static final int MOST_DIRECTORIES = 256;

    private final Map<Object, SeenFailure> ofDisks = new Latest<>(MOST_OF_DISKS);
    private final Map<Object, SeenFailure> others = new Latest<>(MOST_OTHERS);

    /** By kind and directory. */
    private final Map<Object, SeenFailure> lastIn = new Latest<>(2 * MOST_DIRECTORIES);

    private final LastHour lastHour = new LastHour();

    /** Makes a memory that holds nothing. */
    public SeenFailures() {}

    @Override
    public void onClassification(Classification classification) {
        see(SeenFailure.of(classification), Instant.now());
    }

    synchronized void see(SeenFailure seen, Instant now) {
        Map<Object, SeenFailure> latest = seen.isOfTheDisk() ? ofDisks : others;
        SeenFailure before = latest.remove(seen.place()); // and so becomes the youngest
        latest.put(seen.place(), before == null ? seen : seen.after(before.times()));
        if (seen.isOfTheDisk()) {
            Object where = List.of(Kind.of(seen), seen.directory());
            lastIn.remove(where);
            lastIn.put(where, seen);
        }
        lastHour.count(Kind.of(seen), now);
    }

    /**
     * What is remembered.
     *
     * @return a copy, the newest first
     */
    public synchronized List<SeenFailure> latest() {
        List<SeenFailure> all = new ArrayList<>(ofDisks.values());
        all.addAll(others.values());
        all.sort(Comparator.comparing(SeenFailure::at).reversed());
        return all;
    }

    /** The last failure of a disk, or the last suspected transient one, in a directory; null where there was none. */
    synchronized SeenFailure lastIn(String directory, Kind kind) {
        return lastIn.get(List.of(kind, directory));
    }

    /**
     * The counts of the last hour.
     *
     * @param now the moment at which the hour ends
     * @return a copy
     */
    public synchronized LastHour lastHour(Instant now) {
        return lastHour.asOf(now);
    }

    /** Lets go of what was put in first. */
    private static final class Latest<V> extends LinkedHashMap<Object, V> {

        private static final long serialVersionUID = 1L;

        private final int most;

        Latest(int most) {
            this.most = most;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, V> eldest) {
            return size() > most;
        }
    }
}
