package io.faultline.bench.subject;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What a client under test said of itself, event by event. All times are milliseconds of the machine's monotonic clock. May be used from several threads. */
public final class Ledger {

    /**
     * How a record ended for its sender.
     *
     * @param record which record
     * @param since when it was given to the producer
     * @param at when the producer settled it
     * @param offset where it is in the log, -1 if it failed
     * @param why the failure, or null
     */
    public record Settled(Payload record, long since, long at, long offset, String why) {

        /**
         * Says how it ended.
         *
         * @return true if it was acknowledged
         */
        public boolean isAcked() {
            return why == null;
        }
    }

    /**
     * A record that a consumer got.
     *
     * @param consumer which consumer
     * @param at when
     * @param offset where it was
     * @param record which record; one of the sender -1 if its bytes were not what was sent
     */
    public record Got(String consumer, long at, long offset, Payload record) {

        /**
         * Compares its bytes with its checksum.
         *
         * @return true if they match
         */
        public boolean isIntact() {
            return record.sender() >= 0;
        }
    }

    /**
     * What a member of the group owned from a moment on.
     *
     * @param member which member
     * @param at when it was told
     * @param generation of the group; -1 where it gave up what it owned
     * @param partitions all that it owned then
     */
    public record Owned(String member, long at, int generation, List<Integer> partitions) {}

    /**
     * A commit that was acknowledged.
     *
     * @param member which member
     * @param at when it was told
     * @param partition of which partition
     * @param offset of the next record
     */
    public record Committed(String member, long at, int partition, long offset) {}

    /**
     * The state at one moment.
     *
     * @param at when
     * @param produced records given to the producer
     * @param acked of these, acknowledged
     * @param failed of these, failed
     * @param usedBytes of the producer's memory
     * @param inFlight requests that await an answer
     * @param sockets TCP connections of the process
     * @param threads names of the client's threads, those that are made for one piece of work left out while it is open
     */
    public record Tick(
            long at,
            long produced,
            long acked,
            long failed,
            long usedBytes,
            long inFlight,
            int sockets,
            List<String> threads) {

        /**
         * Records that are not settled.
         *
         * @return how many
         */
        public long pending() {
            return produced - acked - failed;
        }
    }

    /**
     * A flush or close.
     *
     * @param client of which client
     * @param at when it was over
     * @param took how long, in milliseconds
     * @param failure what it threw, "" for nothing
     */
    public record Ended(String client, long at, long took, String failure) {}

    private final List<Settled> settled = new ArrayList<>();
    private final List<Got> got = new ArrayList<>();
    private final List<Owned> owned = new ArrayList<>();
    private final List<Committed> committed = new ArrayList<>();
    private final List<Tick> ticks = new ArrayList<>();
    private final List<Ended> flushed = new ArrayList<>();
    private final List<Ended> closed = new ArrayList<>();
    private final Map<String, Integer> errors = new HashMap<>();
    private final Map<String, Map<Integer, Long>> latestGot = new HashMap<>();
    private final Map<Integer, BitSet> gotByGroup = new HashMap<>();
    private final int sender;
    private Map<String, Object> end;

    /**
     * Makes an empty one.
     *
     * @param sender the number of the producer
     */
    public Ledger(int sender) {
        this.sender = sender;
    }

    /**
     * Takes a line of a client's process.
     *
     * @param line what it printed
     * @return whether it was an event; else it is left to others
     */
    boolean take(String line) {
        if (!line.startsWith(Journal.BEGINNING)) {
            return false;
        }
        try {
            note(JSON.std.mapFrom(line));
            return true;
        } catch (IOException notJson) {
            throw new UncheckedIOException(line, notJson);
        }
    }

    private synchronized void note(Map<String, Object> event) {
        long at = number(event, "at");
        String client = (String) event.get("client");
        switch ((String) event.get("event")) {
            case "acked" ->
                settled.add(new Settled(sent(event), number(event, "since"), at, number(event, "offset"), null));
            case "failed" ->
                settled.add(new Settled(sent(event), number(event, "since"), at, -1, (String) event.get("why")));
            case "polled" -> noteGot(client, at, (int) number(event, "partition"), numbers(event, "records"));
            case "owns" ->
                owned.add(new Owned(
                        client,
                        at,
                        (int) number(event, "generation"),
                        numbers(event, "partitions").stream()
                                .map(Number::intValue)
                                .toList()));
            case "gaveUp" -> owned.add(new Owned(client, at, -1, List.of()));
            case "committed" ->
                committed.add(new Committed(client, at, (int) number(event, "partition"), number(event, "offset")));
            case "tick" -> ticks.add(tick(at, event));
            case "flushed" -> flushed.add(new Ended(client, at, number(event, "took"), (String) event.get("failure")));
            case "closed" -> closed.add(new Ended(client, at, number(event, "took"), (String) event.get("failure")));
            case "error" -> errors.merge(client + ": " + event.get("what"), 1, Integer::sum);
            case "uncommitted" -> errors.merge(client + " at a revocation: " + event.get("why"), 1, Integer::sum);
            case "ended" -> end = event;
            default -> throw new IllegalStateException("an event that nobody knows: " + event);
        }
        notifyAll();
    }

    private Payload sent(Map<String, Object> event) {
        return new Payload(sender, (int) number(event, "partition"), number(event, "number"));
    }

    private void noteGot(String client, long at, int partition, List<Number> records) {
        for (int each = 0; each < records.size(); each += 3) {
            Payload record = new Payload(
                    records.get(each + 1).intValue(),
                    partition,
                    records.get(each + 2).longValue());
            long offset = records.get(each).longValue();
            got.add(new Got(client, at, offset, record));
            if (isMember(client)) {
                gotByGroup.computeIfAbsent(partition, any -> new BitSet()).set((int) offset);
            }
        }
        latestGot.computeIfAbsent(client, any -> new HashMap<>()).put(partition, at);
    }

    private static Tick tick(long at, Map<String, Object> event) {
        return new Tick(
                at,
                number(event, "produced"),
                number(event, "acked"),
                number(event, "failed"),
                number(event, "used"),
                number(event, "inFlight"),
                (int) number(event, "sockets"),
                strings(event.get("threads")));
    }

    private static long number(Map<String, Object> event, String key) {
        return ((Number) event.get(key)).longValue();
    }

    private static List<Number> numbers(Map<String, Object> event, String key) {
        return ((List<?>) event.get(key)).stream().map(each -> (Number) each).toList();
    }

    private static List<String> strings(Object list) {
        return ((List<?>) list).stream().map(String::valueOf).toList();
    }

    /**
     * The records that were settled.
     *
     * @return in the order in which they were
     */
    public synchronized List<Settled> settled() {
        return List.copyOf(settled);
    }

    /**
     * Counts records that were settled.
     *
     * @param since only those that were given to the producer from this time on
     * @return how many
     */
    public synchronized long settledOfThoseSince(long since) {
        return settled.stream().filter(each -> each.since() >= since).count();
    }

    /**
     * The records that consumers got.
     *
     * @return in the order in which they came, for each consumer
     */
    public synchronized List<Got> got() {
        return List.copyOf(got);
    }

    /**
     * Says whether a consumer is a member of the group.
     *
     * @param consumer its name
     * @return false for the one with assigned partitions
     */
    public static boolean isMember(String consumer) {
        return consumer.startsWith(SubjectMain.MEMBER);
    }

    /**
     * The consumers that got anything.
     *
     * @return how many
     */
    public synchronized int consumers() {
        return latestGot.size();
    }

    /**
     * The partitions of which a consumer got something.
     *
     * @param since the time from which on it counts
     * @param consumer which consumers, by their names
     * @return how many
     */
    public synchronized long partitionsGot(long since, Predicate<String> consumer) {
        return latestGot.entrySet().stream()
                .filter(entry -> consumer.test(entry.getKey()))
                .flatMap(entry -> entry.getValue().entrySet().stream())
                .filter(entry -> entry.getValue() >= since)
                .map(Map.Entry::getKey)
                .distinct()
                .count();
    }

    /**
     * Says whether a member got something of a partition.
     *
     * @param partition which
     * @param since the time from which on it counts
     * @return true if one did
     */
    public synchronized boolean groupGot(int partition, long since) {
        return latestGot.entrySet().stream()
                .anyMatch(entry ->
                        isMember(entry.getKey()) && entry.getValue().getOrDefault(partition, Long.MIN_VALUE) >= since);
    }

    /**
     * The offsets that the members got of a partition.
     *
     * @param partition which
     * @return a copy
     */
    public synchronized BitSet gotByGroup(int partition) {
        return (BitSet) gotByGroup.getOrDefault(partition, new BitSet()).clone();
    }

    /**
     * What members owned.
     *
     * @return in the order in which they were told
     */
    public synchronized List<Owned> owned() {
        return List.copyOf(owned);
    }

    /**
     * The commits that were acknowledged.
     *
     * @return in the order in which they were
     */
    public synchronized List<Committed> committed() {
        return List.copyOf(committed);
    }

    /**
     * The states.
     *
     * @return the oldest first
     */
    public synchronized List<Tick> ticks() {
        return List.copyOf(ticks);
    }

    /**
     * The flushes.
     *
     * @return the oldest first
     */
    public synchronized List<Ended> flushed() {
        return List.copyOf(flushed);
    }

    /**
     * What was closed.
     *
     * @return the oldest first
     */
    public synchronized List<Ended> closed() {
        return List.copyOf(closed);
    }

    /**
     * What the client threw at polls.
     *
     * @return how often which
     */
    public synchronized Map<String, Integer> errors() {
        return Map.copyOf(errors);
    }

    /**
     * The latest state.
     *
     * @return the state, or null if there is none yet
     */
    public synchronized Tick latest() {
        return ticks.isEmpty() ? null : ticks.get(ticks.size() - 1);
    }

    /**
     * The counts when everything was closed.
     *
     * @return the state, or null if the process has not closed its clients; memory, requests and sockets in it are 0
     */
    public synchronized Tick end() {
        return end == null
                ? null
                : new Tick(
                        number(end, "at"),
                        number(end, "produced"),
                        number(end, "acked"),
                        number(end, "failed"),
                        0,
                        0,
                        0,
                        strings(end.get("threads")));
    }
}
