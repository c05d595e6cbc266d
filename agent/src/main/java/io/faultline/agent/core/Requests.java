package io.faultline.agent.core;

import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Answers what the command line asks: a word, and behind it what it takes, separated by tabs. Called on a thread for each request. */
final class Requests implements UnaryOperator<String> {

    private final ModeSwitch modes;
    private final Supplier<String> status;
    private final Supplier<String> dryRun;
    private final Supplier<String> detach;
    private final RehearsedFailures rehearsed;
    private final AgentLog log;

    /**
     * Makes one.
     *
     * @param rehearsed null where failures are not rehearsed
     */
    Requests(
            ModeSwitch modes,
            Supplier<String> status,
            Supplier<String> dryRun,
            Supplier<String> detach,
            RehearsedFailures rehearsed,
            AgentLog log) {
        this.modes = modes;
        this.status = status;
        this.dryRun = dryRun;
        this.detach = detach;
        this.rehearsed = rehearsed;
        this.log = log;
    }

    @Override
    public String apply(String request) {
        String[] words = request.split("\t");
        return switch (words[0]) {
            case "status" -> status.get();
            case "mode" -> modes.command(words.length == 2 ? words[1] : "", Source.COMMAND_LINE);
            case "check" -> dryRun.get();
            case "detach" -> detach.get();
            case "rehearse" -> rehearse(words);
            default -> "error unknown request " + words[0];
        };
    }

    private String rehearse(String[] words) {
        if (rehearsed == null) {
            return "error failures are rehearsed only in a JVM that was started with rehearse=on";
        }
        if (words.length == 2 && words[1].equals("heal")) {
            rehearsed.clear();
            log.line("rehearsal: healed");
            return "ok healed";
        }
        try {
            rehearsed.add(Path.of(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
            log.line("rehearsal: reads of " + words[1] + " fail from " + words[2] + " for " + words[3] + " bytes");
            return "ok";
        } catch (RuntimeException malformed) {
            return "error accepted: a file, a position and a count";
        }
    }
}
