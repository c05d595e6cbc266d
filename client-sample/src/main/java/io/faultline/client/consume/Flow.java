package io.faultline.client.consume;

import io.faultline.client.watchdog.Deadline;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition from its assignment to its end, as the loop sees it. The same partition assigned again is another flow, so that
 * nothing of the former reaches the latter. On the loop, but for {@link #partition} and {@link #isEnded}.
 */
final class Flow {

    /** What is known of the offset. */
    enum State {
        /** Where to fetch is not known, and nobody is asked yet. */
        UNKNOWN,
        /** Somebody is asked. */
        ASKED,
        /** Whether the log still has what was read of it is being asked. */
        VALIDATING,
        /** Can be fetched. */
        READY
    }

    /**
     * Where to fetch.
     *
     * @param offset the next offset
     * @param epoch of the leader that appended the record before; empty if not known
     */
    record Place(long offset, Optional<Integer> epoch) {}

    private final TopicPartition partition;
    private volatile boolean ended;
    private State state = State.UNKNOWN;
    private int seeks; // how often the caller has moved it
    private OptionalLong resetTo = OptionalLong.empty(); // the caller wants this timestamp
    private Place place;
    private Integer leaderEpoch; // with which it was last known that the place is in the log
    private boolean paused;
    private boolean buffered; // a chunk waits for the caller
    private Deadline notBefore = new Deadline(Long.MIN_VALUE);
    private int failures;
    private int preferredReplica = -1;
    private Deadline preferredUntil;

    Flow(TopicPartition partition) {
        this.partition = partition;
    }

    TopicPartition partition() {
        return partition;
    }

    /** Whether it was taken away; what is still buffered of it must not be delivered. */
    boolean isEnded() {
        return ended;
    }

    void end() {
        ended = true;
    }

    State state() {
        return state;
    }

    void state(State now) {
        state = now;
    }

    int seeks() {
        return seeks;
    }

    /** The caller goes elsewhere; what is on its way for the former place is void. */
    void seek(int number, Place to) {
        seeks = number;
        place = to;
        leaderEpoch = null; // whether this place is in the log is not known
        resetTo = OptionalLong.empty();
        state = State.READY;
        buffered = false;
        calm();
    }

    /** The caller goes to wherever a timestamp is. */
    void seekToTime(int number, long timestamp) {
        seeks = number;
        resetTo = OptionalLong.of(timestamp);
        state = State.UNKNOWN;
        buffered = false;
        calm();
    }

    /** There is no such offset any more: begin as if there had been none. */
    void forgetPlace(OptionalLong timestamp) {
        resetTo = timestamp;
        state = State.UNKNOWN;
    }

    OptionalLong resetTo() {
        return resetTo;
    }

    Place place() {
        return place;
    }

    void begin(Place at) {
        place = at;
        resetTo = OptionalLong.empty();
        state = State.READY;
        buffered = false; // the caller drops what it has of the former place
        calm();
    }

    void advance(Place to) {
        place = to;
    }

    Integer leaderEpoch() {
        return leaderEpoch;
    }

    void leaderEpoch(Integer known) {
        leaderEpoch = known;
    }

    boolean isPaused() {
        return paused;
    }

    void paused(boolean now) {
        paused = now;
    }

    boolean isBuffered() {
        return buffered;
    }

    void buffered(boolean now) {
        buffered = now;
    }

    Deadline notBefore() {
        return notBefore;
    }

    int failed() {
        return ++failures;
    }

    void notBefore(Deadline later) {
        notBefore = later;
    }

    void calm() {
        failures = 0;
        notBefore = new Deadline(Long.MIN_VALUE);
    }

    /** The replica to fetch from. */
    int source(int leader, long now) {
        return preferredReplica >= 0 && !preferredUntil.isDue(now) ? preferredReplica : leader;
    }

    void prefer(int replica, Deadline until) {
        preferredReplica = replica;
        preferredUntil = until;
    }

    void preferLeader() {
        preferredReplica = -1;
    }

    @Override
    public String toString() {
        return partition + " " + state + " at " + place;
    }
}
