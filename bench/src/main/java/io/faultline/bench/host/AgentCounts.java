package io.faultline.bench.host;

import java.util.HashMap;
import java.util.Map;

/**
 * The numbers of an agent's status.
 *
 * @param byName each by the name that the status gives it
 */
public record AgentCounts(Map<String, Long> byName) {

    /**
     * Takes the numbers out of a status.
     *
     * @param status what the agent answers
     * @return its numbers
     */
    public static AgentCounts of(String status) {
        Map<String, Long> counts = new HashMap<>();
        for (String line : status.split("\n")) {
            int equals = line.lastIndexOf('=');
            if (equals > 0 && line.substring(equals + 1).matches("\\d+")) {
                counts.put(line.substring(0, equals), Long.valueOf(line.substring(equals + 1)));
            }
        }
        return new AgentCounts(counts);
    }

    /**
     * A number.
     *
     * @param name its name
     * @return the number, 0 if the status has none of that name
     */
    public long get(String name) {
        return byName.getOrDefault(name, 0L);
    }

    /**
     * Adds up numbers, over all directories for instance.
     *
     * @param part how their names begin, or what follows a dot in them
     * @return the sum
     */
    public long sum(String part) {
        return byName.entrySet().stream()
                .filter(entry ->
                        entry.getKey().startsWith(part) || entry.getKey().contains("." + part))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /**
     * Says whether every failure that was handed over is accounted for.
     *
     * @return true if it is, exactly
     */
    public boolean balance() {
        return byName.containsKey("handed-over")
                && get("handed-over")
                        == get("verdicts") + get("dropped") + get("expired") + get("skipped") + get("pending");
    }
}
