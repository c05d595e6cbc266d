package io.faultline.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A log directory that went offline, by a verdict or by the server itself. */
@Name("io.faultline.DirectoryOffline")
@Label("Directory Offline")
@Category("Faultline")
@Description("A log directory that went offline, by a verdict or by the server itself.")
@StackTrace(false)
final class DirectoryOfflineEvent extends Event {

    @Label("Directory")
    String directory;

    @Label("Owner")
    String owner;

    @Label("By")
    String by;
}
