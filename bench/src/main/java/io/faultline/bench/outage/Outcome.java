package io.faultline.bench.outage;

import io.faultline.bench.subject.Ledger;
import io.faultline.bench.subject.Ledger.Tick;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What came of one outage.
 *
 * @param plan what was done
 * @param evidence what was seen
 * @param invariants what had to hold
 */
record Outcome(OutageRun.Plan plan, Evidence evidence, List<Invariant> invariants) {

    /** What the columns of {@link #cells} are. */
    static final List<String> COLUMNS = List.of(
            "produced",
            "acked",
            "failed",
            "pending",
            "duplicates",
            "reorderings",
            "slowest verdict",
            "cause gone to heal",
            "heal to first ack",
            "heal to first poll",
            "heal to group's",
            "fresh record",
            "sockets before/most/after",
            "threads",
            "bytes kept",
            "broken");

    static Outcome of(OutageRun.Plan plan, Evidence evidence) {
        return new Outcome(plan, evidence, new Judge(evidence).invariants());
    }

    List<String> cells() {
        Tick last = evidence.last();
        Tick end = evidence.main().end() == null ? last : evidence.main().end();
        int before = evidence.before(evidence.course().began()).sockets();
        int most =
                evidence.main().ticks().stream().mapToInt(Tick::sockets).max().orElse(0);
        long slowest = evidence.main().settled().stream()
                .mapToLong(evidence::latency)
                .max()
                .orElse(0);
        List<String> cells = new ArrayList<>();
        cells.add(number(end.produced()));
        cells.add(number(end.acked()));
        cells.add(number(end.failed()));
        cells.add(number(end.pending()));
        cells.add(number(evidence.log().duplicates(Judge.MAIN)));
        cells.add(number(evidence.log().reorderings(Judge.MAIN)));
        cells.add(Judge.millis(slowest));
        cells.add(Judge.millis(evidence.course().healed() - evidence.course().healing()));
        cells.add(
                evidence.toFirstAck().isEmpty()
                        ? "-"
                        : Judge.millis(evidence.toFirstAck().getAsLong()));
        cells.add(Judge.millis(evidence.toFirstPoll(name -> name.equals("assigned"))));
        cells.add(Judge.millis(evidence.toFirstPoll(Ledger::isMember)));
        cells.add(Judge.millis(evidence.toAckFresh()));
        cells.add(before + "/" + most + "/" + last.sockets());
        cells.add(Integer.toString(last.threads().size()));
        cells.add(number(last.usedBytes()));
        cells.add(broken());
        return cells;
    }

    /** The numbers of the invariants that did not hold. */
    String broken() {
        String numbers = invariants.stream()
                .filter(invariant -> !invariant.held())
                .map(invariant -> Integer.toString(invariant.number()))
                .collect(Collectors.joining(", "));
        return numbers.isEmpty() ? "none" : numbers;
    }

    /** Why records failed, the most frequent reason first; numbers in the reasons left out. */
    List<String> failures() {
        return evidence.main().settled().stream()
                .filter(each -> !each.isAcked())
                .collect(Collectors.groupingBy(each -> each.why().replaceAll("\\d+", "N"), Collectors.counting()))
                .entrySet()
                .stream()
                .sorted((one, other) -> Long.compare(other.getValue(), one.getValue()))
                .map(entry -> number(entry.getValue()) + " x " + entry.getKey())
                .toList();
    }

    private static String number(long number) {
        return String.format("%,d", number);
    }
}
