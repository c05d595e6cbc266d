package io.faultline.agent.core;

import io.faultline.agent.weave.HookAccess;
import io.faultline.classifier.FaultlineThreads;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** Begins the life of an agent. The entry calls it by name, from whichever version of the jar it was loaded: its signature is a contract. */
public final class Lifecycle {

    private Lifecycle() {}

    /**
     * Starts the agent on a thread of its own and returns. In a command-line tool, or where the agent is attached already, nothing is started.
     *
     * @param how "premain" or "agentmain"
     * @param arguments the agent's options, or null
     * @param instrumentation the JVM's
     */
    public static void start(String how, String arguments, Instrumentation instrumentation) {
        boolean withTheJvm = how.equals("premain");
        if (withTheJvm && HostKind.isTool(System.getProperty("sun.java.command"), jar().toString())) {
            return;
        }
        FaultlineThreads.start("start", new Start(arguments, instrumentation, System.nanoTime()));
    }

    /** A class and no lambda: the host waits, and to spin one costs milliseconds in a JVM that has used none. */
    private record Start(String arguments, Instrumentation instrumentation, long began) implements Runnable {
        @Override
        public void run() {
            startNow(arguments, instrumentation, began);
        }
    }

    /** Closes the jar, when no class is needed from it any more. */
    static void closeLoader() {
        if (Lifecycle.class.getClassLoader() instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception open) { // one file descriptor more
            }
        }
    }

    /** The jar that this agent was loaded from. */
    static Path jar() {
        try {
            return Path.of(Lifecycle.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException noPath) {
            throw new IllegalStateException(noPath);
        }
    }

    private static void startNow(String arguments, Instrumentation instrumentation, long began) {
        if (arguments != null && arguments.startsWith(DryRun.ARGUMENT)) {
            dryRun(arguments.substring(DryRun.ARGUMENT.length()), instrumentation);
            return;
        }
        AgentLog log = AgentLog.open(null);
        try {
            Configuration configuration = Configuration.ofThisProcess(arguments);
            Options options = configuration.options();
            if (options.logsToSlf4j()) {
                log = AgentLog.toSlf4j(instrumentation);
            } else if (options.log() != null) {
                log = AgentLog.open(options.log());
            }
            options.errors().forEach(log::warn);
            if (!new Agent(configuration, log, instrumentation, HookAccess.define(instrumentation)).start(began)) {
                log.close();
                closeLoader();
            }
        } catch (Throwable failed) { // the host goes on without us
            log.line("off: " + failed);
            log.close();
        }
    }

    private static void dryRun(String arguments, Instrumentation instrumentation) {
        try (AgentLog log = AgentLog.open(null)) {
            try {
                DryRun.serve(arguments.startsWith(",") ? arguments.substring(1) : arguments, instrumentation);
            } catch (IOException | InterruptedException | RuntimeException failed) {
                log.warn("the dry run failed: " + failed);
            }
        }
        closeLoader();
    }
}
