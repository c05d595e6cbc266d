package io.faultline.agent.core;

import java.util.List;

/**
 * Tells a server from a command-line tool that merely inherited the server's JVM options, as Kafka's tools inherit {@code KAFKA_OPTS} and
 * everything inherits {@code JAVA_TOOL_OPTIONS}. In a tool the agent stays dormant: it starts no thread, binds nothing and prints nothing.
 */
final class HostKind {

    private static final List<String> TOOLS = List.of(
            "kafka.admin.",
            "kafka.tools.",
            "org.apache.kafka.tools.",
            "org.apache.kafka.shell.",
            "org.apache.zookeeper.ZooKeeperMain",
            "jdk.", // the JDK's own tools run as module/class: jdk.jcmd/sun.tools.jcmd.JCmd
            "java.base/", // keytool
            "io.faultline.agent.FaultlineAgent");

    private HostKind() {}

    /**
     * Judges by the main class.
     *
     * @param command the system property {@code sun.java.command}, or null
     * @param ownJar the agent's jar, for its own command line runs as {@code -jar}
     * @return true if this is a tool
     */
    static boolean isTool(String command, String ownJar) {
        if (command == null) {
            return false;
        }
        return TOOLS.stream().anyMatch(command::startsWith) || (ownJar != null && command.startsWith(ownJar));
    }
}
