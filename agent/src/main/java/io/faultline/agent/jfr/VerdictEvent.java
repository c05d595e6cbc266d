package io.faultline.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** What a failed transfer was judged to be. */
@Name("io.faultline.Verdict")
@Label("Verdict")
@Category("Faultline")
@Description("What a failed transfer was judged to be.")
@StackTrace(false)
final class VerdictEvent extends Event {

    @Label("Verdict")
    String verdict;

    @Label("Reason")
    String reason;

    @Label("Action")
    String action;

    @Label("Because")
    String because;

    @Label("Directory")
    String directory;

    @Label("Owner")
    String owner;

    @Label("File")
    String file;

    @Label("Position")
    long position;

    @Label("Count")
    @DataAmount
    long count;

    @Label("Unreadable At")
    long unreadableAt;

    @Label("Device")
    String device;

    @Label("Waited")
    @Timespan(Timespan.NANOSECONDS)
    long waited;

    @Label("Took")
    @Timespan(Timespan.NANOSECONDS)
    long took;

    @Label("Failure")
    String failure;
}
