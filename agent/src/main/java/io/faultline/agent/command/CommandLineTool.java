package io.faultline.agent.command;

import io.faultline.agent.control.ControlClient;
import io.faultline.agent.control.ControlSocket;
import io.faultline.agent.core.Release;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code java -jar faultline-agent.jar}: loads the agent into a running JVM, and talks to the one that is there. */
@Command(
        name = "java -jar faultline-agent.jar",
        description = "Tells a failing disk from a vanished client in JVM zero-copy I/O.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true)
public final class CommandLineTool {

    private static final int FAILED = 1;
    private static final int WRONG_USE = 2;
    private static final Duration UNTIL_READY = Duration.ofSeconds(30);
    private static final Duration FOR_EACH_LISTED = Duration.ofSeconds(2);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private final String jar;

    private CommandLineTool(String jar) {
        this.jar = jar;
    }

    /**
     * Runs a command.
     *
     * @param arguments the command and its arguments
     * @param jar the agent's jar
     * @return the exit code: 0 done, 1 failed, 2 wrong use
     */
    public static int run(String[] arguments, String jar) {
        CommandLineTool tool = new CommandLineTool(jar);
        CommandLine line = new CommandLine(tool);
        line.addSubcommand(tool.new Attach());
        line.addSubcommand(new StatusCommand());
        line.addSubcommand(new ModeCommand());
        line.addSubcommand(new Detach());
        line.addSubcommand(new ListCommand());
        line.addSubcommand(new CheckCommand(jar));
        line.addSubcommand(new VerifyCommand());
        line.addSubcommand(new JfcCommand());
        line.addSubcommand(new Rehearse());
        line.addSubcommand(new HelpCommand());
        String version = "Faultline " + Release.of(Path.of(jar));
        line.getCommandSpec().version(version);
        line.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().version(version));
        line.setExecutionExceptionHandler((failure, failed, parsed) -> {
            failed.getErr().println(failure.getMessage() == null ? failure.toString() : failure.getMessage());
            return FAILED;
        });
        if (arguments.length == 0) {
            line.usage(System.err);
            return WRONG_USE;
        }
        return line.execute(arguments);
    }

    static String ask(long pid, String request) throws IOException {
        return ask(pid, request, UNTIL_READY);
    }

    private static String ask(long pid, String request, Duration patience) throws IOException {
        String answer;
        try {
            answer = ControlClient.ask(pid, request, patience);
        } catch (IOException nobody) {
            throw new IOException("no Faultline agent answers in process " + pid + " (" + nobody.getMessage() + ")");
        }
        if (answer.startsWith("error ")) {
            throw new IOException(answer.substring("error ".length()));
        }
        return answer.startsWith("ok") ? answer.substring("ok".length()).strip() : answer;
    }

    @Command(name = "attach", description = "Loads the agent into a running JVM.", mixinStandardHelpOptions = true)
    private final class Attach implements Callable<Integer> {

        @Parameters(index = "0", paramLabel = "PID", description = "The process.")
        private long pid;

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "OPTIONS",
                description = "key=value pairs, separated by commas, as for -javaagent.")
        private String options;

        @Override
        public Integer call() throws IOException {
            String there = statusOrNull();
            if (there != null) {
                System.out.println("process " + pid + " has Faultline " + valueOf(there, "version") + " already, mode "
                        + valueOf(there, "mode"));
                return 0;
            }
            new Loading(Path.of(jar), pid).load(options);
            long deadline = System.nanoTime() + UNTIL_READY.toNanos();
            while ((there = statusOrNull()) == null) {
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException(
                            "the agent was loaded, but does not answer; see the standard error, or the log, of "
                                    + "process " + pid);
                }
                LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            }
            System.out.println("Faultline " + valueOf(there, "version") + " is attached to process " + pid + ", mode "
                    + valueOf(there, "mode"));
            return 0;
        }

        private String statusOrNull() {
            try {
                return ask(pid, "status");
            } catch (IOException nobody) {
                return null;
            }
        }
    }

    private static String valueOf(String status, String key) {
        return status.lines()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .findFirst()
                .orElse("?");
    }

    @Command(name = "mode", description = "Changes what the agent may do.", mixinStandardHelpOptions = true)
    private static final class ModeCommand implements Callable<Integer> {

        @Parameters(index = "0", paramLabel = "PID", description = "The process.")
        private long pid;

        @Parameters(index = "1", paramLabel = "MODE", description = "act, observe or off.")
        private String mode;

        @Override
        public Integer call() throws IOException {
            System.out.println(ask(pid, "mode\t" + mode));
            return 0;
        }
    }

    @Command(name = "detach", description = "Takes the agent out again.", mixinStandardHelpOptions = true)
    private static final class Detach implements Callable<Integer> {

        @Parameters(index = "0", paramLabel = "PID", description = "The process.")
        private long pid;

        @Override
        public Integer call() throws IOException {
            System.out.println(ask(pid, "detach"));
            return 0;
        }
    }

    @Command(name = "list", description = "Lists the processes that have an agent.", mixinStandardHelpOptions = true)
    private static final class ListCommand implements Callable<Integer> {

        @Override
        public Integer call() throws IOException {
            for (long pid : ControlSocket.processes()) {
                try {
                    String status = ask(pid, "status", FOR_EACH_LISTED);
                    System.out.println(pid + " " + valueOf(status, "version") + " " + valueOf(status, "mode"));
                } catch (IOException stoppedOrGone) {
                    System.err.println(stoppedOrGone.getMessage());
                }
            }
            return 0;
        }
    }

    @Command(
            name = "rehearse",
            description = "Makes reads of a region fail in a JVM that was started with rehearse=on, or heals all.",
            mixinStandardHelpOptions = true)
    private static final class Rehearse implements Callable<Integer> {

        @Parameters(index = "0", paramLabel = "PID", description = "The process.")
        private long pid;

        @Parameters(index = "1", paramLabel = "FILE", description = "The file, or 'heal'.")
        private String file;

        @Parameters(index = "2", arity = "0..1", paramLabel = "POSITION", description = "The first byte.")
        private long position;

        @Parameters(index = "3", arity = "0..1", paramLabel = "COUNT", description = "How many bytes.")
        private long count;

        @Override
        public Integer call() throws IOException {
            // The other process has a working directory of its own.
            String request = file.equals("heal")
                    ? "rehearse\theal"
                    : "rehearse\t" + Path.of(file).toAbsolutePath() + "\t" + position + "\t" + count;
            System.out.println(ask(pid, request));
            return 0;
        }
    }
}
