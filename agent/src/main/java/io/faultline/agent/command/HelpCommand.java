package io.faultline.agent.command;

import io.faultline.agent.core.Key;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code help}: the commands, and every key of the options. */
@Command(
        name = "help",
        description = "Lists the commands, and every key of the options with its default.",
        mixinStandardHelpOptions = true)
final class HelpCommand implements Callable<Integer> {

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        PrintStream out = System.out;
        spec.parent().commandLine().usage(out);
        out.println();
        out.println(
                "Options of the agent, as -javaagent:faultline-agent.jar=key=value,key=value, as -Dfaultline.KEY=…, as");
        out.println(
                "environment variable FAULTLINE_KEY (upper case, . and - as _), or in the file that config names; the");
        out.println(
                "earlier go before the later. What is marked * can change while the agent runs, in the file; mode also by");
        out.println(
                "the command mode and over JMX. A change of the others takes effect when the agent is started anew.");
        out.println();
        for (Key key : Key.values()) {
            String byDefault = key.byDefault().isEmpty() ? "unset" : key.byDefault();
            out.println((key.isLive() ? "* " : "  ") + key.spelled() + " (default: " + byDefault + ")");
            out.println("      " + key.meaning());
            out.println("      accepted: " + key.accepted());
        }
        return 0;
    }
}
