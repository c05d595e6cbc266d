package io.faultline.agent.core;

import io.faultline.agent.control.ControlServer;
import io.faultline.agent.kafka.KafkaAdapter;
import io.faultline.agent.weave.Weaver;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.Mount;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Says what an agent would find in this JVM and do in it, and changes nothing: no class is woven, nothing is bound or written, no directory is touched. Lines of key and value; what begins with
 * {@code problem} needs a person.
 */
final class DryRun {

    /** What the agent's argument begins with for a dry run. */
    static final String ARGUMENT = "dry-run";

    private static final long PATIENCE_SECONDS = 30;

    private final Instrumentation instrumentation;
    private final Options options;
    private final StatusLines lines = new StatusLines();

    DryRun(Instrumentation instrumentation, Options options) {
        this.instrumentation = instrumentation;
        this.options = options;
    }

    /** Finds the owners by itself, answers whoever asks first, and goes. */
    static void serve(String arguments, Instrumentation instrumentation) throws IOException, InterruptedException {
        Options options = Configuration.ofThisProcess(arguments).options();
        CountDownLatch answered = new CountDownLatch(1);
        ControlServer server = ControlServer.open(request -> {
            if (!request.equals("check")) {
                return "error this is a dry run: " + request + " is not answered";
            }
            try {
                DryRun run = new DryRun(instrumentation, options);
                return run.report(run.findOwners());
            } finally {
                answered.countDown();
            }
        });
        answered.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        TimeUnit.SECONDS.sleep(1); // the answer is on its way
        server.close();
    }

    private List<LogDirOwner> findOwners() {
        List<Consumer<Map<String, Object>>> consumers = new CopyOnWriteArrayList<>();
        List<Map<String, Object>> owners = new CopyOnWriteArrayList<>();
        new ApplicationCopies(instrumentation)
                .join(
                        consumers,
                        owners,
                        (loader, otherVersion) -> lines.add(
                                "problem", "a copy of the classifier library in " + loader + ": " + otherVersion));
        FailureFeed feed = new FailureFeed();
        feed.bridge(consumers, owners);
        List<LogDirOwner> found = new ArrayList<>(feed.owners());
        found.addAll(new KafkaAdapter(strange -> lines.add("problem", strange)).owners());
        return found;
    }

    /** All lines, for owners that were found. */
    String report(List<LogDirOwner> owners) {
        String command = System.getProperty("sun.java.command");
        lines.add("java", System.getProperty("java.version") + ", " + System.getProperty("java.vm.name"));
        lines.add("command", command == null ? "unknown" : command.split(" ")[0]);
        if (HostKind.isTool(command, Lifecycle.jar().toString())) {
            lines.add("problem", "with -javaagent the agent stays dormant here: this is a command-line tool");
        }
        options.errors().forEach(error -> lines.add("problem", error));
        lines.add("mode", options.mode().spelled());
        lines.options(options);
        classes();
        port();
        owners.forEach(this::owner);
        if (owners.isEmpty()) {
            lines.add(
                    "owner",
                    "none yet: verdicts are reported, and nothing is taken offline until a server that owns directories is found");
        }
        return "ok\n" + lines;
    }

    private void classes() {
        List<String> loaded = new ArrayList<>();
        for (Class<?> each : instrumentation.getAllLoadedClasses()) {
            if (Weaver.TARGETS.contains(each.getName())) {
                loaded.add(each.getName());
                if (!instrumentation.isModifiableClass(each)) {
                    lines.add("problem", each.getName() + " cannot be woven: this JVM does not let it change");
                }
            }
        }
        for (String target : Weaver.TARGETS) {
            boolean now = loaded.contains(target);
            lines.add(
                    "weaves." + target,
                    options.mode() == Mode.OFF ? "no, mode=off" : now ? "now" : "once it is loaded");
        }
    }

    private void port() {
        if (options.metricsPort() > 0) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.setReuseAddress(true);
                probe.bind(new InetSocketAddress(options.metricsHost(), options.metricsPort()));
            } catch (IOException | RuntimeException taken) {
                lines.add("problem", "metrics.port=" + options.metricsPort() + " cannot be bound now: " + taken);
            }
        }
    }

    private void owner(LogDirOwner owner) {
        for (String directory : owner.directories()) {
            String prefix = "directory." + directory + ".";
            Mount mount = Mount.of(Path.of(directory).toAbsolutePath().toString());
            lines.add(prefix + "owner", owner.name());
            lines.add(prefix + "offline", owner.isOffline(directory) ? "yes" : "no");
            lines.add(prefix + "device", mount.device());
            lines.add(prefix + "file-system", mount.fileSystemType());
            lines.add(prefix + "mount", mount.point());
            String observes = options.observes(directory);
            if (options.mode() == Mode.ACT && observes != null) {
                lines.add(prefix + "mode", "observe, " + observes);
            }
            if (options.auditFile() != null
                    && options.auditFile().startsWith(Path.of(directory).toAbsolutePath())) {
                lines.add(
                        "problem",
                        "audit.file=" + options.auditFile() + " lies in " + directory + ", whose disk is watched");
            }
        }
    }
}
