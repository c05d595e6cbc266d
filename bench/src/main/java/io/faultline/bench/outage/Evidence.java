package io.faultline.bench.outage;

import io.faultline.bench.subject.Ledger;
import io.faultline.bench.subject.Ledger.Settled;
import io.faultline.bench.subject.Timeouts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All that is known when an outage is over.
 *
 * @param main what the client under test said
 * @param others what others said: those that were flushed and closed in the middle of it, each with a producer of its own
 * @param group what all processes said whose members make up the group that is looked at
 * @param frozen whether the client's own process stood still
 * @param spooled whether the producers had a spool
 * @param course when what happened
 * @param timeouts of both clients
 * @param tolerance how late things may be
 * @param brokers how many brokers there are
 * @param members how many members of a group the client has, beside one consumer with assigned partitions
 * @param log what the brokers have in the end
 * @param forgotten when the coordinator forgot its groups, and numbered their generations from the beginning
 * @param samples what the group had committed, as an observer saw it
 * @param commits what it committed, in the order in which that was carried out; where the coordinator keeps no log of it, of the samples
 * @param ghosts whether the group had, after the heal, members of processes that had ended without leaving
 */
record Evidence(
        Ledger main,
        List<Ledger> others,
        List<Ledger> group,
        boolean frozen,
        boolean spooled,
        Course course,
        Timeouts timeouts,
        Tolerance tolerance,
        int brokers,
        int members,
        LogContents log,
        List<Long> forgotten,
        List<Observer.Sample> samples,
        List<CommitLog.Commit> commits,
        boolean ghosts) {

    /** What all producers said. */
    List<Ledger> producers() {
        return Stream.concat(Stream.of(main), others.stream()).toList();
    }

    /** How long a record was on its way, without the time in which the process stood still. */
    long latency(Settled settled) {
        long stood = 0;
        if (frozen) {
            stood = Math.max(0, Math.min(settled.at(), course.healing()) - Math.max(settled.since(), course.began()));
        }
        return settled.at() - settled.since() - stood;
    }

    /** Records that were on their way when the fault was taken away, and had enough time left to arrive: with a spool all have. */
    private List<Settled> pendingAtHeal() {
        long late = course.healed()
                + tolerance.recovery().toMillis()
                - timeouts.delivery().toMillis();
        return main.settled().stream()
                .filter(each -> each.since() < course.healing() && each.at() >= course.healing())
                .filter(each -> spooled || each.since() >= late)
                .toList();
    }

    /** Records that were on their way after a silence in the outage that was longer than they may be; 0 if there was none. */
    long pendingAfterSilence() {
        return course.silent() < 0 ? 0 : before(course.silent()).pending();
    }

    /**
     * How long after the heal the last partition of those that had something pending was acknowledged something.
     *
     * @return milliseconds; -1 if a partition was not; empty if nothing was pending
     */
    OptionalLong toFirstAck() {
        Map<Integer, Long> first = new HashMap<>();
        for (Settled each : pendingAtHeal()) {
            first.merge(each.record().partition(), each.isAcked() ? each.at() : Long.MAX_VALUE, Math::min);
        }
        return first.isEmpty() ? OptionalLong.empty() : OptionalLong.of(latest(first));
    }

    /** How long after the heal a consumer, or consumers together, got something of each partition; -1 for never. */
    long toFirstPoll(Predicate<String> consumer) {
        Map<Integer, Long> first = new HashMap<>();
        for (int partition = 0; partition < log.partitions().size(); partition++) {
            first.put(partition, Long.MAX_VALUE);
        }
        group.stream()
                .flatMap(ledger -> ledger.got().stream())
                .filter(got -> consumer.test(got.consumer()) && got.at() >= course.healing())
                .forEach(got -> first.merge(got.record().partition(), got.at(), Math::min));
        return latest(first);
    }

    private long latest(Map<Integer, Long> first) {
        long latest = first.values().stream().mapToLong(Long::longValue).max().orElseThrow();
        return latest == Long.MAX_VALUE ? -1 : Math.max(0, latest - course.healed());
    }

    /** How long the slowest of the records took that were sent after the heal, one to each partition; -1 if one was not acknowledged. */
    long toAckFresh() {
        Map<Integer, Long> latencies = new HashMap<>();
        for (int partition = 0; partition < log.partitions().size(); partition++) {
            latencies.put(partition, -1L);
        }
        main.settled().stream()
                .filter(each -> each.isAcked() && each.since() >= course.fresh())
                .forEach(each -> latencies.merge(
                        each.record().partition(), latency(each), (old, now) -> old < 0 ? now : Math.min(old, now)));
        return latencies.containsValue(-1L)
                ? -1
                : latencies.values().stream().mapToLong(Long::longValue).max().orElseThrow();
    }

    /** The last state in which everything was still open. */
    Ledger.Tick last() {
        return before(course.ended());
    }

    /** The last state before a moment. */
    Ledger.Tick before(long moment) {
        return main.ticks().stream()
                .filter(tick -> tick.at() < moment)
                .reduce((earlier, later) -> later)
                .orElseThrow();
    }
}
