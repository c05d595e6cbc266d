package io.faultline.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A transfer of a file, or a read on its way to a client, that failed; the stack is that of the server. */
@Name("io.faultline.FailedTransfer")
@Label("Failed Transfer")
@Category("Faultline")
@Description("A transfer of a file, or a read on its way to a client, that failed; the stack is that of the server.")
@StackTrace(true)
@Enabled(false)
final class FailedTransferEvent extends Event {

    @Label("Transport")
    String transport;

    @Label("File")
    String file;

    @Label("Position")
    long position;

    @Label("Count")
    @DataAmount
    long count;

    @Label("Failure")
    String failure;
}
