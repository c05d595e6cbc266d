package io.faultline.agent.core;

import java.io.File;
import java.util.List;
import java.util.regex.Pattern;

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

    /** The JDK's own tools run as module/class: {@code jdk.jcmd/sun.tools.jcmd.JCmd}, and keytool in {@code java.base}. */
    private static final Pattern OF_THE_JDK = Pattern.compile("(jdk|java)\\.[\\w.]+/.*", Pattern.DOTALL);

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
        return TOOLS.stream().anyMatch(command::startsWith)
                || OF_THE_JDK.matcher(command).matches()
                || (ownJar != null && runsJar(command, new File(ownJar)));
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
