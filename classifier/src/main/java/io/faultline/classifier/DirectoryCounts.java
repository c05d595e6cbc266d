package io.faultline.classifier;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What has been counted in one log directory. Counted and read by any thread. */
final class DirectoryCounts {

    final LongAdder dropped = new LongAdder();
    final LongAdder expired = new LongAdder();
    final LongAdder skipped = new LongAdder();
    final LongAdder bytesRead = new LongAdder();
    final LongAdder suspectedTransient = new LongAdder();
    private final Map<DirectoryStatus.Outcome, LongAdder> outcomes = new ConcurrentHashMap<>();
    private final Map<OwnerAction, LongAdder> actions = new ConcurrentHashMap<>();

    void verdict(DirectoryStatus.Outcome outcome) {
        outcomes.computeIfAbsent(outcome, key -> new LongAdder()).increment();
    }

    void action(OwnerAction action) {
        if (action != OwnerAction.NONE) {
            actions.computeIfAbsent(action, key -> new LongAdder()).increment();
        }
    }

    long verdicts() {
        return outcomes.values().stream().mapToLong(LongAdder::sum).sum();
    }

    long of(DirectoryStatus.Outcome outcome) {
        LongAdder count = outcomes.get(outcome);
        return count == null ? 0 : count.sum();
    }

    long of(OwnerAction action) {
        LongAdder count = actions.get(action);
        return count == null ? 0 : count.sum();
    }

    Map<DirectoryStatus.Outcome, Long> byOutcome() {
        Map<DirectoryStatus.Outcome, Long> copy = new HashMap<>();
        outcomes.forEach((outcome, count) -> copy.put(outcome, count.sum()));
        return Map.copyOf(copy);
    }

    Map<OwnerAction, Long> byAction() {
        Map<OwnerAction, Long> copy = new EnumMap<>(OwnerAction.class);
        actions.forEach((action, count) -> copy.put(action, count.sum()));
        return Map.copyOf(copy);
    }
}
