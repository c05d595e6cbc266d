package io.faultline.agent.core;

import io.faultline.agent.weave.HookAccess;
import io.faultline.classifier.FailureHints;
import io.faultline.classifier.Hint;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts failed transfers by what their text hints at. Called on the host's threads: a few comparisons of strings and an addition. What the hook had counted before this agent was
 * attached hints at nothing.
 */
final class HintedFailures {

    /** How transfers leave, as metrics spell it: to a socket, to TLS, to anything else; reads elsewhere in Kafka. */
    static final List<String> TRANSPORTS = List.of("socket", "tls", "other", "plain");

    private static final List<String> HOOK_COUNTERS =
            List.of("SOCKET_FAILURES", "TLS_FAILURES", "OTHER_FAILURES", "PLAIN_FAILURES");

    private final FailureHints hints;
    private final Map<String, Map<Hint, LongAdder>> counts = new HashMap<>();

    HintedFailures(FailureHints hints, HookAccess hook) {
        this.hints = hints;
        for (int i = 0; i < TRANSPORTS.size(); i++) {
            Map<Hint, LongAdder> ofTransport = new EnumMap<>(Hint.class);
            for (Hint hint : Hint.values()) {
                ofTransport.put(hint, new LongAdder());
            }
            ofTransport.get(Hint.NONE).add(hook.counter(HOOK_COUNTERS.get(i)).sum());
            counts.put(TRANSPORTS.get(i), ofTransport);
        }
        counts.get("other").get(Hint.NONE).add(-hook.counter("SELF_CHECKS").sum());
    }

    void count(String transport, Throwable failure) {
        counts.get(transport).get(hints.of(failure)).increment();
    }

    long of(String transport, Hint hint) {
        return counts.get(transport).get(hint).sum();
    }
}
