package io.faultline.bench.kafka;

import io.faultline.bench.host.AgentCounts;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What happened in a broker, over its restarts: what it printed, and what its agent counted. */
final class BrokerTally {

    private final KafkaNode broker;
    private final Map<String, Long> counts = new HashMap<>();
    private long truncations;
    private long deletedSegments;
    private long restarts;
    private boolean balanced = true;

    BrokerTally(KafkaNode broker) {
        this.broker = broker;
    }

    String name() {
        return broker.name();
    }

    /** Takes down what goes with the process. */
    void beforeRestart() throws IOException, InterruptedException {
        end();
        truncations += linesWith("Truncating to offset");
        deletedSegments += linesWith("Deleted log ");
        restarts++;
    }

    /** Takes down what the agent has counted, once it has checked everything. */
    void end() throws IOException, InterruptedException {
        ClusterAdmin.await(
                "the agent has checked everything",
                () -> broker.agent().counts().get("pending") == 0);
        AgentCounts last = broker.agent().counts();
        balanced &= last.balance();
        for (String name :
                List.of("handed-over", "verdicts", "dropped", "expired", "skipped", "ends-of-file.tls", "errors")) {
            counts.merge(name, last.get(name), Long::sum);
        }
        for (String name : List.of("verdicts.SOCKET", "verdicts.INCONCLUSIVE", "verdicts.DISK")) {
            counts.merge(name, last.sum(name), Long::sum);
        }
    }

    long truncations() {
        return truncations + linesWith("Truncating to offset");
    }

    long deletedSegments() {
        return deletedSegments + linesWith("Deleted log ");
    }

    long restarts() {
        return restarts;
    }

    long count(String name) {
        return counts.getOrDefault(name, 0L);
    }

    boolean balanced() {
        return balanced;
    }

    private long linesWith(String text) {
        return broker.process().log().stream()
                .filter(line -> line.contains(text))
                .count();
    }
}
