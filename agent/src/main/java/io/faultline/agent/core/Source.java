package io.faultline.agent.core;

/** Where the value of an option is from. The later ones go before the earlier. */
public enum Source {
    /** It was not given. */
    DEFAULT("default"),
    /** The file that {@code config} names. */
    FILE("config file"),
    /** An environment variable. */
    ENVIRONMENT("environment variable"),
    /** A system property. */
    PROPERTY("system property"),
    /** An argument of the agent. */
    ARGUMENT("agent argument"),
    /** Somebody changed it over JMX. */
    JMX("JMX"),
    /** Somebody changed it from the command line. */
    COMMAND_LINE("command line");

    private final String spelled;

    Source(String spelled) {
        this.spelled = spelled;
    }

    /**
     * The source, for people.
     *
     * @return such as "config file"
     */
    public String spelled() {
        return spelled;
    }
}
