package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/** Command-line tools of Apache Kafka under the names that they have in its distribution, for programs that call them. */
public final class KafkaScripts {

    private static final Map<String, String> TOOLS = Map.of(
            "kafka-topics.sh", "org.apache.kafka.tools.TopicCommand",
            "kafka-configs.sh", "org.apache.kafka.tools.ConfigCommand",
            "kafka-acls.sh", "org.apache.kafka.tools.AclCommand");

    private KafkaScripts() {}

    /**
     * Writes them.
     *
     * @param folder where they go, below {@code bin}
     * @param layout where releases of Kafka are kept
     * @param version the release, 4.2 or newer
     * @return the folder
     * @throws IOException if the release cannot be had, or a script not written
     * @throws InterruptedException if interrupted meanwhile
     */
    public static Path in(Path folder, Layout layout, KafkaVersion version) throws IOException, InterruptedException {
        KafkaJars jars = KafkaJars.ofTools(layout, version);
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Files.writeString(folder.resolve("log4j.properties"), KafkaJars.resource("tool-log4j.properties"));
        for (Map.Entry<String, String> tool : TOOLS.entrySet()) {
            List<String> command = List.of(
                    "exec",
                    layout.java().toString(),
                    "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.StatusLogger.level=OFF",
                    "-cp '" + folder + ":" + jars.classPath() + "'",
                    tool.getValue(),
                    "\"$@\"");
            Path script =
                    Files.writeString(bin.resolve(tool.getKey()), "#!/bin/sh\n" + String.join(" ", command) + "\n");
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return folder;
    }
}
