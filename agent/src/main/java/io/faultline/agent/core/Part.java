package io.faultline.agent.core;

import java.util.Locale;

/** The parts of the agent whose own faults are counted apart. */
public enum Part {
    /** What changes classes, and the check that it took. */
    WEAVING,
    /** What sorts and checks failures. */
    CHECKS,
    /** What finds the owners of directories and asks them. */
    OWNERS,
    /** What meets copies of the library in the application. */
    APPLICATION,
    /** What counts, and shows counts over HTTP. */
    METRICS,
    /** What shows counts over JMX. */
    JMX,
    /** What sends counts over OTLP. */
    OTLP,
    /** What answers the command line. */
    CONTROL,
    /** What reads the configuration. */
    CONFIG,
    /** What writes the audit file. */
    AUDIT,
    /** What writes flight recorder events. */
    JFR;

    /**
     * The part as tags spell it.
     *
     * @return lower case
     */
    public String spelled() {
        return name().toLowerCase(Locale.ROOT);
    }
}
