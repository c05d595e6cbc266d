package io.faultline.agent.core;

import java.util.Map;

/** What options alone come to, without any JVM that they are for. */
public final class DryRunOfOptions {

    private DryRunOfOptions() {}

    /**
     * Reads options as the agent would, the environment of this process included.
     *
     * @param arguments key=value pairs, separated by commas
     * @return a line for each problem, then a line for each key and its source
     */
    public static String report(String arguments) {
        Options options = new Configuration(arguments, Map.of(), System.getenv()).options();
        StatusLines lines = new StatusLines();
        options.errors().forEach(error -> lines.add("problem", error));
        lines.add("mode", options.mode().spelled());
        lines.options(options);
        return lines.toString();
    }
}
