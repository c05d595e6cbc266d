package io.faultline.agent;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A verdict as a host's listener received it. */
record SeenVerdict(Map<String, String> facts) {

    static SeenVerdict parse(List<String> pairs) {
        return new SeenVerdict(pairs.stream()
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1])));
    }

    /** Verdict and reason. */
    String outcome() {
        return facts.get("verdict") + " " + facts.get("reason");
    }

    String get(String fact) {
        return facts.get(fact);
    }

    long number(String fact) {
        return Long.parseLong(facts.get(fact));
    }
}
