package io.faultline.agent;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * The entry of the agent jar, and with {@link IsolatedLoader} all that the host's class path shows of it. Compiled for Java 8: a class that is
 * too new for the JVM would kill the host before any of its code runs; like this an older JVM gets one clear line.
 *
 * <p>Everything else is loaded by a fresh {@link IsolatedLoader} for each attach. This class is not: the JVM keeps the one that it loaded first, so an
 * attach may find an older one. What it does is therefore a contract: it loads {@code io.faultline.agent.core.Lifecycle} from the jar that the
 * argument {@code jar} names, else from its own, and calls {@code start(String, Instrumentation)}.
 */
public final class FaultlineAgent {

    private static final int OLDEST_JAVA = 17;
    private static final String JAR_KEY = "jar=";

    private FaultlineAgent() {}

    /**
     * Called by the JVM for {@code -javaagent}. Returns at once; what is woven is woven by a thread of the agent's own. Never throws.
     *
     * @param options the agent's options, or null
     * @param instrumentation the JVM's
     */
    public static void premain(String options, Instrumentation instrumentation) {
        start("premain", options, instrumentation);
    }

    /**
     * Called by the JVM when the agent is loaded into a running one. Never throws.
     *
     * @param options the agent's options, or null
     * @param instrumentation the JVM's
     */
    public static void agentmain(String options, Instrumentation instrumentation) {
        start("agentmain", options, instrumentation);
    }

    /**
     * The command line: attach, status, mode, detach, list.
     *
     * @param arguments a command and its arguments
     */
    public static void main(String[] arguments) {
        if (isTooOld()) {
            say(tooOld());
            System.exit(2);
        }
        try {
            // The application loader above it, since that is where the JDK has its attach API.
            Class<?> command = new IsolatedLoader(ownJar(), ClassLoader.getSystemClassLoader()).loadClass("io.faultline.agent.command.CommandLineTool");
            Object exit = command.getMethod("run", String[].class, String.class)
                    .invoke(null, arguments, ownJar().getPath());
            System.exit((Integer) exit);
        } catch (InvocationTargetException failed) {
            say("Faultline: " + failed.getCause());
            System.exit(1);
        } catch (Throwable failed) {
            say("Faultline: " + failed);
            System.exit(1);
        }
    }

    private static void start(String how, String options, Instrumentation instrumentation) {
        try {
            if (isTooOld()) {
                say(tooOld());
                return;
            }
            File jar = ownJar();
            String rest = options;
            if (options != null && options.startsWith(JAR_KEY)) {
                int end = options.indexOf(',');
                jar = new File(options.substring(JAR_KEY.length(), end < 0 ? options.length() : end));
                rest = end < 0 ? null : options.substring(end + 1);
            }
            Class<?> lifecycle = new IsolatedLoader(jar, IsolatedLoader.platformLoader()).loadClass("io.faultline.agent.core.Lifecycle");
            Method start = lifecycle.getMethod("start", String.class, String.class, Instrumentation.class);
            start.invoke(null, how, rest, instrumentation);
        } catch (InvocationTargetException failed) {
            say("Faultline is off: " + failed.getCause());
        } catch (Throwable failed) { // thrown on, it would end the host
            say("Faultline is off: " + failed);
        }
    }

    private static boolean isTooOld() {
        String version = System.getProperty("java.specification.version", "0");
        try {
            return Integer.parseInt(version) < OLDEST_JAVA;
        } catch (NumberFormatException beforeNine) { // "1.8"
            return true;
        }
    }

    private static String tooOld() {
        return "Faultline is off: it needs Java " + OLDEST_JAVA + " or newer, and this is Java "
                + System.getProperty("java.version");
    }

    private static File ownJar() throws Exception {
        return new File(FaultlineAgent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    /** Past System.err, which the host may have replaced by its logging. */
    private static void say(String line) {
        new PrintStream(new FileOutputStream(FileDescriptor.err), true).println(line);
    }
}
