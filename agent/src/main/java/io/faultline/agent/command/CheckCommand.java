package io.faultline.agent.command;

import io.faultline.agent.core.DryRunOfOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code check}: a dry run. */
@Command(
        name = "check",
        description = {
            "A dry run: says what the agent would find and do, and changes nothing.",
            "For a process: what would be woven, whose log directories were found and where they lie. The jar is loaded for that, looks, and goes.",
            "For options alone: their values, and what is wrong with them."
        },
        footer = "Exit code: 0 all is well, 1 there is a problem or it could not be looked at, 2 wrong use.",
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String jar;

    @Parameters(index = "0", paramLabel = "PID|OPTIONS", description = "A process, or key=value pairs.")
    private String what;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "OPTIONS",
            description = "For a process: the options that the agent would be attached with.")
    private String options;

    CheckCommand(String jar) {
        this.jar = jar;
    }

    @Override
    public Integer call() throws IOException {
        String report = what.matches("\\d+") ? ofProcess(Long.parseLong(what)) : DryRunOfOptions.report(what);
        System.out.println(report);
        return report.lines().anyMatch(line -> line.startsWith("problem=")) ? 1 : 0;
    }

    private String ofProcess(long pid) throws IOException {
        String attached = checkOrNull(pid);
        if (attached != null) {
            return "attached=yes\n" + attached;
        }
        new Loading(Path.of(jar), pid).load("dry-run" + (options == null ? "" : "," + options));
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (System.nanoTime() - deadline < 0) {
            String report = checkOrNull(pid);
            if (report != null) {
                return "attached=no\n" + report;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
        }
        throw new IOException("the jar was loaded, but does not answer; see the standard error of process " + pid);
    }

    private static String checkOrNull(long pid) {
        try {
            return CommandLineTool.ask(pid, "check");
        } catch (IOException nobody) {
            return null;
        }
    }
}
