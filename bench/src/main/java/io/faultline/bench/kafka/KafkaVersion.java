package io.faultline.bench.kafka;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A release of Apache Kafka.
 *
 * @param text its version, such as 4.4.0
 * @param major the first number
 * @param minor the second
 */
public record KafkaVersion(String text, int major, int minor) {

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+");

    /**
     * Parses a version.
     *
     * @param text such as 4.4.0
     * @return the version
     * @throws IllegalArgumentException if it is none
     */
    public static KafkaVersion of(String text) {
        Matcher matcher = VERSION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("no version of Kafka: " + text);
        }
        return new KafkaVersion(text, Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }

    /**
     * Compares with a line of releases.
     *
     * @param otherMajor the line's first number
     * @param otherMinor the line's second
     * @return true if this is of that line or a later one
     */
    public boolean isAtLeast(int otherMajor, int otherMinor) {
        return major > otherMajor || (major == otherMajor && minor >= otherMinor);
    }

    /**
     * Says whether several log directories take ZooKeeper: before 3.7 a broker without it had to do with one.
     *
     * @return true if they do
     */
    public boolean needsZooKeeper() {
        return !isAtLeast(3, 7);
    }

    @Override
    public String toString() {
        return text;
    }
}
