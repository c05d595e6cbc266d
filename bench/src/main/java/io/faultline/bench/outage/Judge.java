package io.faultline.bench.outage;

import io.faultline.bench.subject.Ledger;
import io.faultline.bench.subject.Ledger.Ended;
import io.faultline.bench.subject.Ledger.Owned;
import io.faultline.bench.subject.Ledger.Settled;
import io.faultline.bench.subject.Ledger.Tick;
import io.faultline.bench.subject.Payload;
import io.faultline.bench.subject.Timeouts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Holds what is known of an outage against what has to hold in every one. */
final class Judge {

    /** The numbers of the producers. */
    static final int MAIN = 1;

    static final int VICTIM = 2;

    private final Evidence evidence;

    Judge(Evidence evidence) {
        this.evidence = evidence;
    }

    List<Invariant> invariants() {
        return List.of(
                everyRecordIsSettledOnce(),
                evidence.spooled() ? nothingFails() : everyRecordIsSettledInTime(),
                everythingGoesOn(),
                memoryIsGivenBack(),
                threadsAreAsBefore(),
                socketsAreAsBefore(),
                whatIsAcknowledgedIsThere(),
                flushAndCloseKeepTheirTimeouts(),
                freshRecordsAreAcknowledged(),
                nothingIsThereTwice(),
                orderIsKept(),
                bytesAreIntact(),
                theGroupGetsEverything(),
                commitsAreTrue(),
                noPartitionHasTwoOwners());
    }

    private Invariant everyRecordIsSettledOnce() {
        boolean held = true;
        List<String> seen = new ArrayList<>();
        for (Ledger ledger : evidence.producers()) {
            Tick end = ledger.end() == null ? ledger.latest() : ledger.end();
            Set<Payload> settled = new HashSet<>();
            long twice = ledger.settled().stream()
                    .filter(each -> !settled.add(each.record()))
                    .count();
            held &= end.pending() == 0 && twice == 0 && settled.size() == end.produced();
            seen.add(String.format(
                    "%,d = %,d acked + %,d failed + %,d pending, %d settled twice",
                    end.produced(), end.acked(), end.failed(), end.pending(), twice));
        }
        return Invariant.of(
                1, "every record is acked or failed, once", held, "%s", String.join("; closed early: ", seen));
    }

    private Invariant everyRecordIsSettledInTime() {
        long bound = evidence.timeouts().delivery().toMillis()
                + evidence.tolerance().tick().toMillis();
        long longest = evidence.producers().stream()
                .flatMap(ledger -> ledger.settled().stream())
                .mapToLong(evidence::latency)
                .max()
                .orElse(0);
        Tick end = evidence.main().end() == null
                ? evidence.main().latest()
                : evidence.main().end();
        return Invariant.of(
                2,
                "nothing is pending longer than delivery.timeout.ms + one tick",
                longest <= bound && end.pending() == 0 && evidence.pendingAfterSilence() == 0,
                "longest %,d of %,d ms, %d pending in the end%s",
                longest,
                bound,
                end.pending(),
                evidence.course().silent() < 0
                        ? ""
                        : ", " + evidence.pendingAfterSilence() + " after as long a silence in the outage");
    }

    /** The one that is closed in the outage leaves what it has to its successor. */
    private Invariant nothingFails() {
        Tick end = evidence.main().end() == null
                ? evidence.main().latest()
                : evidence.main().end();
        return Invariant.of(
                2,
                "with a spool no record fails, however long the outage lasts",
                end.failed() == 0 && end.pending() == 0,
                "%,d of %,d failed, %d pending in the end",
                end.failed(),
                end.produced(),
                end.pending());
    }

    private Invariant everythingGoesOn() {
        long bound = evidence.tolerance().recovery().toMillis();
        OptionalLong ack = evidence.toFirstAck();
        long assigned = evidence.toFirstPoll(name -> name.equals("assigned"));
        long group = evidence.toFirstPoll(Ledger::isMember);
        // The partitions of a member that was killed are nobody's until its session is over, and others hear of that by
        // a heartbeat: no client can change that.
        Timeouts timeouts = evidence.timeouts();
        long ofGhosts = timeouts.session().plus(timeouts.heartbeat()).toMillis();
        long groupBound = evidence.ghosts() ? bound + ofGhosts : bound;
        return Invariant.of(
                3,
                "acks and polls go on by themselves within " + bound + " ms after the heal"
                        + (evidence.ghosts()
                                ? ", a group with a member that was killed " + ofGhosts + " ms later"
                                : ""),
                within(ack.orElse(0), bound) && within(assigned, bound) && within(group, groupBound),
                "first ack %s, assigned consumer %s, group %s",
                ack.isEmpty() ? "(nothing pending)" : millis(ack.getAsLong()),
                millis(assigned),
                millis(group));
    }

    private Invariant memoryIsGivenBack() {
        Tick last = evidence.last();
        return Invariant.of(
                4,
                "all of the producer's memory is free again, nothing is in flight",
                last.usedBytes() == 0 && last.inFlight() == 0,
                "%,d bytes used, %d requests in flight",
                last.usedBytes(),
                last.inFlight());
    }

    private Invariant threadsAreAsBefore() {
        List<String> before = evidence.before(evidence.course().began()).threads();
        List<String> after = evidence.last().threads();
        List<String> left =
                evidence.main().end() == null ? after : evidence.main().end().threads();
        return Invariant.of(
                5,
                "the client's threads are the same as before, none once it is closed",
                before.equals(after) && left.isEmpty(),
                "%s before, %s after, %s when closed",
                before,
                after,
                left);
    }

    private Invariant socketsAreAsBefore() {
        int clients = 2 + evidence.members();
        int producers = evidence.spooled() ? 2 : 1; // what lies in a file has connections of its own
        int steady = producers * evidence.brokers() + (clients - 1) * (evidence.brokers() + 1);
        int most = steady + clients; // one more each, for as long as it knows no broker by its id
        long began = evidence.course().began();
        long settled = evidence.course().healed() + evidence.timeouts().setup().toMillis();
        int before = evidence.before(began).sockets();
        int inOutage = most(began, settled);
        int outside = Math.max(before, most(settled, Long.MAX_VALUE));
        int after = evidence.main().ticks().stream()
                .filter(tick -> tick.at() >= settled)
                .mapToInt(Tick::sockets)
                .findFirst()
                .orElse(evidence.last().sockets());
        return Invariant.of(
                6,
                "no more sockets than brokers take, each twice while it is tried afresh, as before within a set-up time-out",
                outside <= most && inOutage <= 2 * most && after <= Math.max(before, steady),
                "%d before, at most %d in the outage (of %d) and %d outside (of %d), %d after",
                before,
                inOutage,
                2 * most,
                outside,
                most,
                after);
    }

    private int most(long from, long until) {
        return evidence.main().ticks().stream()
                .filter(tick -> tick.at() >= from && tick.at() < until)
                .mapToInt(Tick::sockets)
                .max()
                .orElse(0);
    }

    private Invariant whatIsAcknowledgedIsThere() {
        long lost = evidence.producers().stream()
                .flatMap(ledger -> ledger.settled().stream())
                .filter(Settled::isAcked)
                .filter(each -> !each.record()
                        .equals(evidence.log()
                                .partitions()
                                .get(each.record().partition())
                                .get(each.offset())))
                .count();
        return Invariant.of(7, "what is acked is in the log, where the ack says", lost == 0, "%,d are not", lost);
    }

    private Invariant flushAndCloseKeepTheirTimeouts() {
        long bound = evidence.timeouts().close().toMillis()
                + evidence.tolerance().tick().toMillis();
        List<Ended> ended = evidence.producers().stream()
                .flatMap(ledger -> Stream.concat(ledger.flushed().stream(), ledger.closed().stream()))
                .toList();
        long longest = ended.stream().mapToLong(Ended::took).max().orElse(0);
        boolean all = evidence.producers().stream().allMatch(ledger -> ledger.end() != null);
        return Invariant.of(
                8,
                "flush and close return within their time-outs",
                all && longest <= bound,
                "longest %,d of %,d ms%s",
                longest,
                bound,
                all ? "" : ", and not everything was closed");
    }

    private Invariant freshRecordsAreAcknowledged() {
        long slowest = evidence.toAckFresh();
        return Invariant.of(
                9,
                "after the heal a fresh record to each partition is acked within "
                        + evidence.tolerance().recovery().toMillis() + " ms",
                within(slowest, evidence.tolerance().recovery().toMillis()),
                "%s",
                millis(slowest));
    }

    private Invariant nothingIsThereTwice() {
        long duplicates = evidence.log().duplicates(MAIN) + evidence.log().duplicates(VICTIM);
        return Invariant.of(10, "no record is in the log twice", duplicates == 0, "%,d are", duplicates);
    }

    private Invariant orderIsKept() {
        long reorderings = evidence.log().reorderings(MAIN) + evidence.log().reorderings(VICTIM);
        return Invariant.of(11, "the log has the order of sending", reorderings == 0, "%,d out of order", reorderings);
    }

    private Invariant bytesAreIntact() {
        long inLog = evidence.log().corrupt();
        long got =
                evidence.main().got().stream().filter(each -> !each.isIntact()).count();
        return Invariant.of(
                12,
                "every record has the bytes that were sent",
                inLog == 0 && got == 0,
                "%,d in the log and %,d of those consumed do not",
                inLog,
                got);
    }

    private Invariant theGroupGetsEverything() {
        long missed = evidence.log().missedBy(evidence.group());
        return Invariant.of(13, "the group gets every record of the log", missed == 0, "%,d never", missed);
    }

    private Invariant commitsAreTrue() {
        Map<Integer, TreeMap<Long, Long>> processed = new HashMap<>();
        evidence.group().stream()
                .flatMap(ledger -> ledger.got().stream())
                .filter(each -> Ledger.isMember(each.consumer()))
                .forEach(each -> processed
                        .computeIfAbsent(each.record().partition(), any -> new TreeMap<>())
                        .merge(each.at(), each.offset() + 1, Math::max));
        processed.values().forEach(Judge::accumulate);
        long ahead = 0;
        for (Observer.Sample sample : evidence.samples()) {
            Map.Entry<Long, Long> known =
                    processed.getOrDefault(sample.partition(), new TreeMap<>()).floorEntry(sample.at());
            if (sample.offset() > (known == null ? 0 : known.getValue())) {
                ahead++;
            }
        }
        Map<Integer, Long> latest = new HashMap<>();
        List<String> fallen = new ArrayList<>();
        for (CommitLog.Commit commit : evidence.commits()) {
            long before = latest.merge(commit.partition(), commit.offset(), Math::max);
            if (commit.offset() < before) {
                fallen.add(String.format("partition %d from %,d to %,d", commit.partition(), before, commit.offset()));
            }
        }
        return Invariant.of(
                14,
                "committed offsets never exceed processed ones and never go back",
                ahead == 0
                        && fallen.isEmpty()
                        && !evidence.samples().isEmpty()
                        && !evidence.commits().isEmpty(),
                "%,d of %,d ahead, %,d of %,d back%s",
                ahead,
                evidence.samples().size(),
                fallen.size(),
                evidence.commits().size(),
                fallen.isEmpty() ? "" : "; the first: " + fallen.get(0));
    }

    /** From "processed then" to "processed until then". */
    private static void accumulate(TreeMap<Long, Long> processed) {
        long most = 0;
        for (Map.Entry<Long, Long> entry : processed.entrySet()) {
            most = Math.max(most, entry.getValue());
            entry.setValue(most);
        }
    }

    private Invariant noPartitionHasTwoOwners() {
        List<Owned> all = evidence.group().stream()
                .flatMap(ledger -> ledger.owned().stream())
                .sorted(Comparator.comparingLong(Owned::at))
                .toList();
        Map<String, Owned> current = new HashMap<>();
        int generation = 0;
        long twice = 0;
        for (Owned owned : all) {
            generation = Math.max(generation, owned.generation());
            twice += current.values().stream()
                    .filter(other -> !other.member().equals(owned.member()) && isSameGeneration(other, owned))
                    .flatMap(other -> other.partitions().stream())
                    .filter(owned.partitions()::contains)
                    .count();
            current.put(owned.member(), owned);
        }
        return Invariant.of(
                15,
                "no partition has two owners in one generation",
                twice == 0 && generation > 0,
                "%d have, up to generation %d",
                twice,
                generation);
    }

    private boolean isSameGeneration(Owned earlier, Owned later) {
        return earlier.generation() == later.generation()
                && evidence.forgotten().stream().noneMatch(at -> at > earlier.at() && at <= later.at());
    }

    private static boolean within(long millis, long bound) {
        return millis >= 0 && millis <= bound;
    }

    static String millis(long millis) {
        return millis < 0 ? "never" : String.format("%,d ms", millis);
    }
}
