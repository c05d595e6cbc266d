package io.faultline.agent.core;

import java.io.File;
import java.util.List;

/**
 * Tells a server from a command-line tool that merely inherited the server's JVM options, as Kafka's tools inherit {@code KAFKA_OPTS} and
 * everything inherits {@code JAVA_TOOL_OPTIONS}. In a tool the agent stays dormant: it starts no thread, binds nothing and prints nothing.
 */
final class HostKind {

    private static final List<String> TOOLS = List.of(
            "kafka.admin.",
            "kafka.docker.",
            "kafka.tools.",
            "org.apache.kafka.tools.",
            "org.apache.kafka.shell.",
            "org.apache.zookeeper.ZooKeeperMain",
            "io.faultline.agent.FaultlineAgent");

    private static final List<String> MODULES_OF_THE_JDK = List.of("jdk.", "java.");

    private HostKind() {}

    /**
     * Judges by the main class.
     *
     * @param command the system property {@code sun.java.command}, or null
     * @param ownJar the agent's jar, absolute, for its own command line runs as {@code -jar}
     * @return true if this is a tool
     */
    static boolean isTool(String command, String ownJar) {
        if (command == null) {
            return false;
        }
        return startsWithAny(command, TOOLS)
                || isOfTheJdk(command)
                || (ownJar != null && runsJar(command, new File(ownJar)));
    }

    // By hand, for the host waits: a regular expression or a lambda costs milliseconds in a JVM that has used none.

    private static boolean startsWithAny(String command, List<String> beginnings) {
        for (String beginning : beginnings) {
            if (command.startsWith(beginning)) {
                return true;
            }
        }
        return false;
    }

    /** The JDK's own tools run as module/class: {@code jdk.jcmd/sun.tools.jcmd.JCmd}, and keytool in {@code java.base}. */
    private static boolean isOfTheJdk(String command) {
        int slash = command.indexOf('/');
        if (slash < 0 || !startsWithAny(command, MODULES_OF_THE_JDK)) {
            return false;
        }
        for (int at = 0; at < slash; at++) {
            char character = command.charAt(at);
            if (character != '.' && !Character.isJavaIdentifierPart(character)) {
                return false;
            }
        }
        return true;
    }

    /** The JVM tells the jar as it was given, perhaps relative, and does not say where its name ends and the arguments begin. */
    private static boolean runsJar(String command, File jar) {
        for (int end = command.indexOf(' '); end >= 0; end = command.indexOf(' ', end + 1)) {
            if (isJar(command.substring(0, end), jar)) {
                return true;
            }
        }
        return isJar(command, jar);
    }

    private static boolean isJar(String name, File jar) {
        return name.endsWith(jar.getName())
                && new File(name)
                        .toPath()
                        .toAbsolutePath()
                        .normalize()
                        .equals(jar.toPath().normalize());
    }
}
