package io.faultline.agent.core;

import java.util.Locale;

/** What the agent may do. */
public enum Mode {
    /** Classifies, reports, and takes a failing directory offline. */
    ACT,
    /** Classifies and reports, but takes nothing offline. */
    OBSERVE,
    /** Weaves nothing. */
    OFF;

    /**
     * The mode as options and commands spell it.
     *
     * @return lower case
     */
    public String spelled() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads a mode.
     *
     * @param spelled as in {@link #spelled}
     * @return the mode, or null if there is none of that name
     */
    public static Mode of(String spelled) {
        for (Mode mode : values()) {
            if (mode.spelled().equals(spelled)) {
                return mode;
            }
        }
        return null;
    }
}
