package io.faultline.bench.librdkafka;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a test ended on a broker.
 *
 * @param outcome how
 * @param reason why it was skipped or failed; empty if it passed
 * @param seconds how long it took
 */
record TestResult(Outcome outcome, String reason, long seconds) {

    /** The ways a test ends. */
    enum Outcome {
        /** Everything that it asserts held. */
        PASSED,
        /** Something that it asserts did not hold, or it crashed. */
        FAILED,
        /** The test itself decided that it cannot be run here. */
        SKIPPED,
        /** It was ended, because it took too long. */
        TIMED_OUT;

        /** As it is called in tables. */
        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private static final Pattern COLOURS = Pattern.compile("\u001b\\[[0-9;]*m");
    private static final String ROW = "(?m)^\\|\\s*%s\\s*\\|\\s*(PASSED|FAILED|SKIPPED)\\s*\\|[^|]*\\|?(.*)$";
    private static final Pattern FAILURE =
            Pattern.compile("### Test \"[^\"]*\" failed at (\\S+:\\d+):.*?###\\R(.*)", Pattern.MULTILINE);
    /** What differs from run to run, and would keep the same reason from being told once. */
    private static final Pattern RANDOM = Pattern.compile("_rnd[0-9a-f]+|(?<=127\\.0\\.0\\.1):\\d+");

    private static final int LONGEST_REASON = 400;

    /**
     * Reads the output of the runner, which ends with a table of the tests that were run; where a test has failed badly the table is
     * missing.
     */
    static TestResult of(LibrdkafkaTest test, String output, long seconds) {
        String plain = COLOURS.matcher(output).replaceAll("");
        Matcher row = Pattern.compile(String.format(ROW, test.name())).matcher(plain);
        Outcome outcome = row.find() ? Outcome.valueOf(row.group(1)) : Outcome.FAILED;
        String reason = switch (outcome) {
            case SKIPPED -> row.group(2).trim();
            case PASSED -> "";
            default -> failure(plain);
        };
        return new TestResult(outcome, reason, seconds);
    }

    static TestResult timedOut(String output, long seconds) {
        return new TestResult(Outcome.TIMED_OUT, failure(COLOURS.matcher(output).replaceAll("")), seconds);
    }

    private static String failure(String output) {
        Matcher failure = FAILURE.matcher(output);
        if (!failure.find()) {
            return "it says no reason";
        }
        String reason = failure.group(1) + ": "
                + RANDOM.matcher(failure.group(2).trim()).replaceAll("");
        return reason.length() > LONGEST_REASON ? reason.substring(0, LONGEST_REASON) + "…" : reason;
    }

    boolean passed() {
        return outcome == Outcome.PASSED;
    }
}
