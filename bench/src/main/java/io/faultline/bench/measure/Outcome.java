package io.faultline.bench.measure;

import java.util.Locale;

/** What a figure says of its target. */
public enum Outcome {
    /** The whole interval is on the good side. */
    REACHED,
    /** The whole interval is on the bad side. */
    MISSED,
    /** The interval holds the bound: another run could say this or that. */
    NOT_RESOLVABLE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
