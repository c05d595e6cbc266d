package io.faultline.agent.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code status PID}. */
@Command(
        name = "status",
        description = "Prints what is in force, where each value is from, and what was counted.",
        mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {

    @Parameters(index = "0", paramLabel = "PID", description = "The process.")
    private long pid;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        String status = CommandLineTool.ask(pid, "status");
        System.out.println(json ? StatusObject.of(status) : status);
        return 0;
    }
}
