package io.faultline.bench.throughput;

import io.faultline.bench.measure.Interval;
import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.commons.statistics.distribution.BetaDistribution;

/**
 * How often a flight recorder found threads that ran in certain classes of a library, or in what these called outside of it. What they called back into the rest of the library is the work of that.
 *
 * @param in how often in those classes
 * @param all how often in any
 */
record CpuSamples(int in, int all) {

    private static final String SAMPLE = "jdk.ExecutionSample";
    private static final double LOW = 0.025;
    private static final double HIGH = 0.975;
    private static final double PERCENT = 100;

    /** Of a recording, for the classes whose names begin so, of a library whose names begin so. */
    static CpuSamples of(Path recording, String library, String classes) throws IOException {
        int in = 0;
        int all = 0;
        try (RecordingFile events = new RecordingFile(recording)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (event.getEventType().getName().equals(SAMPLE) && event.getStackTrace() != null) {
                    all++;
                    in += innermost(event, library).startsWith(classes) ? 1 : 0;
                }
            }
        }
        return new CpuSamples(in, all);
    }

    /** The innermost class of the library that a sample was in; empty if it was in none. */
    private static String innermost(RecordedEvent sample, String library) {
        return sample.getStackTrace().getFrames().stream()
                .map(frame -> frame.getMethod().getType().getName())
                .filter(name -> name.startsWith(library))
                .findFirst()
                .orElse("");
    }

    /** The part of all, with the exact 95 % interval of a binomial proportion (Clopper and Pearson, 1934). */
    Interval percent() {
        if (all == 0) {
            return new Interval(0, 0, PERCENT);
        }
        double low = in == 0 ? 0 : BetaDistribution.of(in, all - in + 1.0).inverseCumulativeProbability(LOW);
        double high = in == all ? 1 : BetaDistribution.of(in + 1.0, all - in).inverseCumulativeProbability(HIGH);
        return new Interval(PERCENT * in / all, PERCENT * low, PERCENT * high);
    }
}
