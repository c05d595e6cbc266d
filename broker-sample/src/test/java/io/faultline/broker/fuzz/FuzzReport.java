package io.faultline.broker.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a run found: lines of text, and whether all that has to hold did. */
final class FuzzReport {

    /** Where the report is written to. */
    static final String FILE = "fuzz.report";

    static final String FAILED = "FAILED: ";
    static final String HELD = "HELD: ";

    private final List<String> lines = new ArrayList<>();
    private boolean ended;
    private long requests;
    private long responses;
    private long malformed;

    void count(Expectation expected, boolean response) {
        requests++;
        responses += response ? 1 : 0;
        malformed += expected.answered() || expected.pair() != null ? 0 : 1;
    }

    boolean isEnded() {
        return ended;
    }

    void end(
            long inputs,
            List<ApiVersionPair> announced,
            Map<ApiVersionPair, Long> reached,
            Footprint baseline,
            Footprint now) {
        ended = true;
        lines.add(String.format(
                "%,d inputs, %,d requests: %,d answered, %,d malformed and closed, %,d lines logged",
                inputs, requests, responses, malformed, FaultLog.warnings()));
        announced.forEach(pair -> lines.add(pair + ": " + reached.getOrDefault(pair, 0L)));
        List<ApiVersionPair> missing =
                announced.stream().filter(pair -> !reached.containsKey(pair)).toList();
        claim(
                missing.isEmpty(),
                "each of the " + announced.size() + " announced versions was reached"
                        + (missing.isEmpty() ? "" : ", but " + missing));
        claim(
                baseline != null && now.within(baseline),
                "afterwards the broker holds what it held before: " + now + "; before " + baseline);
        lines.add(HELD + "a kcat round trip passes afterwards");
    }

    private void claim(boolean held, String text) {
        lines.add((held ? HELD : FAILED) + text);
    }

    void failed(Throwable failure) {
        ended = true;
        lines.add(FAILED + failure);
    }

    void write() throws IOException {
        Files.write(Path.of(System.getProperty(FILE)), lines);
    }
}
