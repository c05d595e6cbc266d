package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.agent.host.Content;
import io.faultline.agent.host.Host;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Features of the JVM that meet the woven class, or that agents are known to switch off. */
class JvmFeaturesIT {

    private static final int SIZE = 64 << 10;

    @TempDir
    private Path folder;

    /** On 17 a recording retransforms {@code FileChannelImpl} itself. */
    @Test
    void theWeavingSurvivesAFlightRecording() throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        try (HostJvm host = HostJvm.withAgent("")) {
            host.ask("subscribe");
            assertThat(host.ask("jfr")).isEqualTo("RUNNING");

            host.transfer("reset", file, 0, SIZE);

            assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
        }
    }

    @Test
    void aRecordingThatBeganBeforeTheAttachDoesNotHinderIt() throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        try (HostJvm host = HostJvm.with().start()) {
            host.ask("subscribe");
            host.ask("jfr");
            AgentCommand.run("attach", host.pid());

            host.transfer("reset", file, 0, SIZE);

            assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
            AgentCommand.run("detach", host.pid());
            assertThat(host.transfer("send", file, 0, SIZE).bytes()).isEqualTo(SIZE);
        }
    }

    @Test
    void theHostsSharedClassesStayShared() throws IOException {
        Path archive = folder.resolve("host.jsa");
        String classPath = HostJar.host() + File.pathSeparator + HostJar.classifier();
        Finished dumped = Finished.run(
                TestJdk.tool("java"), "-XX:ArchiveClassesAtExit=" + archive, "-cp", classPath, Host.class.getName());
        assertThat(dumped.exit()).as("%s", dumped.err()).isZero();
        Path log = folder.resolve("classes.log");

        // The JVM's own log is off: JDK 25 says in it, of any agent, that the module of agents was not there at the
        // dump.
        try (HostJvm host = HostJvm.with()
                .jvm("-XX:SharedArchiveFile=" + archive, "-Xlog:disable", "-Xlog:class+load=info:file=" + log)
                .agent("")
                .start()
                .awaitAgent()) {
            host.ask("threads");
            assertThat(host.errorLines()).hasSize(1);
        }

        assertThat(Files.readAllLines(log))
                .anyMatch(line -> line.contains(" " + Host.class.getName() + " source: shared objects file (top)"))
                .anyMatch(line -> line.contains(" java.lang.Object source: shared objects file"));
    }
}
