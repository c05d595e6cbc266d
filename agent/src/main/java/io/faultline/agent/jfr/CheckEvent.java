package io.faultline.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** A region that is read again, on the thread that reads it. */
@Name("io.faultline.Check")
@Label("Check")
@Category("Faultline")
@Description("A region that is read again, on the thread that reads it.")
@StackTrace(true)
@Threshold("10 ms")
final class CheckEvent extends Event {

    @Label("Directory")
    String directory;

    @Label("File")
    String file;

    @Label("Position")
    long position;

    @Label("Count")
    @DataAmount
    long count;

    @Label("Outcome")
    String outcome;

    @Label("Ended At")
    long endedAt;

    @Label("Failure")
    String failure;
}
