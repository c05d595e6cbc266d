package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.report.Report;
import io.faultline.disk.DiskTools;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** How the nodes of a cluster are run. */
final class NodeOptions {

    @Option(
            names = "--jdk",
            paramLabel = "PATH",
            description = "The JDK that runs Kafka; the one that runs this by default.")
    private Path jdk;

    @Option(names = "--logs", paramLabel = "DIRECTORY", description = "Keep what the nodes print there.")
    private Path logs;

    Path java(Layout layout) {
        return jdk == null ? layout.java() : jdk.resolve("bin/java");
    }

    Path logs() {
        return logs == null ? null : logs.toAbsolutePath();
    }

    void describe(Report report) {
        report.fact("jdk of the nodes", jdk == null ? System.getProperty("java.home") : jdk.toString());
    }

    /** Says what is missing for a disk that really fails. */
    static void requireFailingDisk() {
        List<String> missing = DiskTools.missingForFailingDisk();
        if (!missing.isEmpty()) {
            throw new IllegalStateException("a disk that really fails needs " + String.join(", ", missing));
        }
    }
}
