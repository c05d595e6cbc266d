package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** {@link EmptyMain}: from the start of its process to its end. An agent that has not woven by then never does, so how long that takes is asked of a second process, which stays. */
final class EmptyMainHost implements Host {

    /** The shell asks the kernel what a child that has ended took, to the millisecond. Java can ask that of nobody but those that run, in hundredths of a second. */
    private static final String TIMED = "TIMEFORMAT='%3R %3U %3S'; time \"$@\" >/dev/null 2>/dev/null";

    private static final double MILLIS_PER_SECOND = 1e3;

    private final Layout layout;

    EmptyMainHost(Layout layout) {
        this.layout = layout;
    }

    @Override
    public Start start(JvmAgent agent) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", "-c", TIMED, "bash"));
        command.addAll(command(agent));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C"); // for the shell's decimal point
        Process process = builder.start();
        String times = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        int exit = process.waitFor();
        if (exit != 0) {
            throw new IOException("an empty main with " + agent + " ended with " + exit + ": " + times);
        }
        String[] seconds = times.split(" ");
        return new Start(
                MILLIS_PER_SECOND * Double.parseDouble(seconds[0]),
                MILLIS_PER_SECOND * (Double.parseDouble(seconds[1]) + Double.parseDouble(seconds[2])),
                agent == JvmAgent.FAULTLINE ? millisUntilWoven(agent) : OptionalDouble.empty());
    }

    private OptionalDouble millisUntilWoven(JvmAgent agent) throws IOException, InterruptedException {
        try (JvmProcess process = stay(agent)) {
            return agent.millisUntilWoven(process);
        }
    }

    /** One that goes on until it is closed. It prints {@link EmptyMain#STAYS} when its main has begun. */
    JvmProcess stay(JvmAgent agent) throws IOException {
        List<String> command = command(agent);
        command.add("stay");
        return JvmProcess.start("an empty main with " + agent, new ProcessBuilder(command), null);
    }

    private List<String> command(JvmAgent agent) {
        List<String> command = new ArrayList<>(List.of(layout.java().toString()));
        command.addAll(agent.jvmOptions(layout));
        command.addAll(List.of("-cp", layout.bench().toString(), EmptyMain.class.getName()));
        return command;
    }

    /** Nothing of it is left. */
    @Override
    public void close() {}
}
