package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.agent.host.Content;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the host sees of the agent, and of the JDK because of it: nothing beyond the entry and the hook. */
class IsolationIT {

    private static final int JAVA_8 = 52;

    private static HostJvm host;

    @BeforeAll
    static void start() {
        host = HostJvm.with()
                .onlyClassPath(HostJar.host())
                .agent("metrics.port=0")
                .start()
                .awaitAgent();
    }

    @AfterAll
    static void end() {
        host.close();
    }

    @Test
    void noClassOfTheAgentsLibrariesIsVisible() throws IOException {
        List<Object> request = new ArrayList<>(List.of("visible"));
        for (String name : List.of(
                "io.faultline.classifier.FailureFeed",
                "io.faultline.classifier.AgentLink",
                "net.bytebuddy.ByteBuddy",
                "io.micrometer.core.instrument.MeterRegistry",
                "io.prometheus.metrics.model.registry.PrometheusRegistry",
                "picocli.CommandLine",
                "com.fasterxml.jackson.jr.ob.JSON",
                "com.fasterxml.jackson.core.JsonFactory",
                "io.micrometer.registry.otlp.OtlpMeterRegistry",
                "io.opentelemetry.proto.metrics.v1.Metric",
                "com.google.protobuf.Message",
                "io.faultline.shaded.jackson.jr.ob.JSON",
                "io.faultline.shaded.protobuf.Message",
                "io.faultline.agent.jfr.VerdictEvent",
                "org.HdrHistogram.Histogram",
                "org.LatencyUtils.LatencyStats",
                "org.jspecify.annotations.Nullable",
                "io.faultline.shaded.bytebuddy.ByteBuddy",
                "io.faultline.shaded.micrometer.core.instrument.MeterRegistry",
                "io.faultline.agent.core.Lifecycle",
                "io.faultline.agent.weave.Weaver")) {
            request.add(name);
        }

        assertThat(host.askList(request.toArray())).isEmpty();
        assertThat(host.askList("visible", "io.faultline.agent.FaultlineAgent"))
                .as("the question can be answered otherwise")
                .hasSize(1);
    }

    @Test
    void aHostWithOlderLibrariesOfItsOwnGetsThoseAndTheAgentItsOwn(@TempDir Path folder) throws IOException {
        Path file = Content.write(folder.resolve("segment"), 1 << 16);
        List<Path> older = HostJar.olderLibraries();
        try (HostJvm with = HostJvm.with()
                .classPath(older)
                .agent("metrics.port=0,log=slf4j")
                .start()
                .awaitAgent()) {
            assertThat(with.ask("origin", "io.micrometer.core.instrument.MeterRegistry"))
                    .isEqualTo(older.get(0).toString());
            assertThat(with.ask("origin", "net.bytebuddy.ByteBuddy"))
                    .isEqualTo(older.get(1).toString());
            assertThat(with.ask("origin", "org.slf4j.LoggerFactory"))
                    .isEqualTo(older.get(2).toString());

            with.ask("subscribe");
            with.transfer("reset", file, 0, 1 << 16);
            assertThat(with.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
            assertThat(MetricsPage.samples(Integer.parseInt(with.status().get("metrics.bound"))))
                    .containsEntry("faultline_handed_over_total", 1.0);
            assertThat(with.status()).containsEntry("errors", "0");
        }
    }

    @Test
    void theApplicationReachesIntoTheJdkNoBetterThanBefore() {
        assertThat(host.ask("reach", "sun.nio.ch.FileChannelImpl", "path")).isEqualTo("false");
        assertThat(host.ask("reach", "sun.nio.ch.IOUtil", "IOV_MAX")).isEqualTo("false");
        assertThat(host.ask("reach", "java.nio.channels.FaultlineHook", "sink")).isEqualTo("false");
    }

    @Test
    void onTheClassPathTheJarShowsItsEntryOnlyAndThatIsForJava8() throws IOException {
        List<String> visible = new ArrayList<>();
        try (JarFile jar = new JarFile(AgentJar.path().toFile())) {
            for (JarEntry entry : jar.stream().toList()) {
                if (entry.getName().endsWith(".class")) {
                    visible.add(entry.getName());
                    try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
                        in.readInt();
                        in.readUnsignedShort();
                        assertThat(in.readUnsignedShort()).as(entry.getName()).isEqualTo(JAVA_8);
                    }
                }
            }
            assertThat(jar.stream().map(JarEntry::getName))
                    .as("nothing a host's service loader or resource scan would find")
                    .allMatch(name -> name.startsWith("faultline/")
                            || name.startsWith("io/faultline/agent/")
                            || name.equals("META-INF/MANIFEST.MF")
                            || name.matches("META-INF/(LICENSE|NOTICE|licenses/.*)"));
        }
        assertThat(visible)
                .containsExactlyInAnyOrder(
                        "io/faultline/agent/FaultlineAgent.class", "io/faultline/agent/IsolatedLoader.class");
    }
}
