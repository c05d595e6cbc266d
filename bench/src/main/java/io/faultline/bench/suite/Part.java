package io.faultline.bench.suite;

import java.time.Duration;
import java.util.List;

/**
 * An experiment of a suite.
 *
 * @param name its name
 * @param arguments of its command line
 * @param most after how long it is ended, so that the suite ends
 */
record Part(String name, List<String> arguments, Duration most) {

    Part(String name, Duration most, String... arguments) {
        this(name, List.of(arguments), most);
    }
}
