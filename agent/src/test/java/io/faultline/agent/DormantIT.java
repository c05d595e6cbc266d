package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Command-line tools that inherit a server's JVM options: the agent is not to be noticed in them. */
class DormantIT {

    private static final String AGENT = "-javaagent:" + AgentJar.path() + "=metrics.port=0";
    private static final Map<String, String> INHERITED = Map.of("JAVA_TOOL_OPTIONS", AGENT);

    @TempDir
    private Path folder;

    @Test
    void aToolOfTheJdkPrintsItsOwnOutputOnly() {
        for (String[] command : new String[][] {
            {TestJdk.tool("jcmd"), "-h"}, {TestJdk.tool("keytool"), "-help"}, {TestJdk.tool("jps"), "-help"}
        }) {
            Finished plain = Finished.run(command);
            Finished inherited = Finished.run(INHERITED, command);

            assertThat(inherited.exit()).isEqualTo(plain.exit());
            assertThat(inherited.out()).isEqualTo(plain.out());
            assertThat(inherited.err())
                    .startsWith("Picked up JAVA_TOOL_OPTIONS: " + AGENT)
                    .hasSize(1 + plain.err().size())
                    .containsAll(plain.err());
        }
    }

    @Test
    void inAToolOfKafkaNoThreadIsStarted() throws IOException {
        String listsThreads = "public class Listing { public static void main(String[] arguments) {"
                + " Thread.getAllStackTraces().keySet().stream().map(Thread::getName)"
                + ".filter(name -> name.startsWith(\"faultline-\")).forEach(System.out::println); } }";
        Path classes = Compiled.into(folder, "org.apache.kafka.tools.Listing", listsThreads);
        Compiled.into(folder, "org.example.server.Listing", listsThreads);

        Finished tool = run(classes, "org.apache.kafka.tools.Listing");
        Finished server = run(classes, "org.example.server.Listing");

        assertThat(tool.exit()).isZero();
        assertThat(tool.err()).isEmpty();
        assertThat(tool.out()).isEmpty();
        assertThat(server.out())
                .as("the agent's threads, where it is not dormant")
                .isNotEmpty();
    }

    private static Finished run(Path classes, String mainClass) {
        return Finished.run(TestJdk.tool("java"), AGENT, "-cp", classes.toString(), mainClass);
    }

    @Test
    void theAgentsOwnCommandLineIsAToolHoweverItsJarIsNamed() {
        Path relative = Path.of("").toAbsolutePath().relativize(AgentJar.path());
        for (Path jar : new Path[] {AgentJar.path(), relative}) {
            Finished listed = Finished.run(INHERITED, TestJdk.tool("java"), "-jar", jar.toString(), "--help");

            assertThat(listed.exit()).isZero();
            assertThat(listed.err()).containsExactly("Picked up JAVA_TOOL_OPTIONS: " + AGENT);
        }
    }
}
