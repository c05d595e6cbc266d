package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Content;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of the classifier's API in the host: wherever one is, and whenever it was loaded, its listeners are told. */
class ApiCopiesIT {

    private static final int SIZE = 64 << 10;

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void writeFile() throws IOException {
        file = Content.write(folder.resolve("segment"), SIZE);
    }

    @Test
    void aCopyBehindTheAgentOnTheClassPathIsTold() {
        try (HostJvm host = HostJvm.with()
                .onlyClassPath(AgentJar.path(), HostJar.host(), HostJar.classifier())
                .agent("")
                .start()
                .awaitAgent()) {
            assertIsTold(host);
        }
    }

    @Test
    void aCopyBeforeTheAgentOnTheClassPathIsTold() {
        try (HostJvm host = HostJvm.with()
                .onlyClassPath(HostJar.classifier(), HostJar.host(), AgentJar.path())
                .agent("")
                .start()
                .awaitAgent()) {
            assertIsTold(host);
        }
    }

    @Test
    void aCopyThatWasLoadedBeforeTheAttachIsTold() {
        try (HostJvm host = HostJvm.with().start()) {
            host.ask("subscribe");
            AgentCommand.run("attach", host.pid());

            host.transfer("reset", file, 0, SIZE);

            assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
        }
    }

    @Test
    void aCopyThatIsANamedModuleIsToldWhetherItWasLoadedBeforeTheAttachOrBehindIt() {
        for (boolean before : new boolean[] {true, false}) {
            try (HostJvm host = HostJvm.with()
                    .onlyClassPath(HostJar.host())
                    .jvm(
                            "--module-path",
                            HostJar.classifier() + File.pathSeparator + HostJar.slf4j(),
                            "--add-modules",
                            "io.faultline.classifier")
                    .start()) {
                if (before) {
                    host.ask("subscribe");
                }
                AgentCommand.run("attach", host.pid());
                assertThat(host.ask("load", "io.faultline.classifier.FailureFeed"))
                        .isEqualTo("module io.faultline.classifier");
                if (!before) {
                    host.ask("subscribe");
                }

                host.transfer("reset", file, 0, SIZE);

                assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
            }
        }
    }

    @Test
    void severalCopiesInLoadersAndLayersOfTheirOwnAreAllTold() {
        try (HostJvm host = HostJvm.with().start()) {
            assertThat(host.ask("child-first", HostJar.classifier())).endsWith("of ChildFirst");
            AgentCommand.run("attach", host.pid());
            assertThat(host.ask("layer", HostJar.classifier(), HostJar.slf4j()))
                    .startsWith("module io.faultline.classifier of");
            host.ask("subscribe");

            host.transfer("reset", file, 0, SIZE);

            host.awaitVerdict(1);
            await().atMost(HostJvm.PATIENCE).untilAsserted(() -> {
                assertThat(host.ask("copy-verdicts", "child-first")).isEqualTo("1");
                assertThat(host.ask("copy-verdicts", "layer")).isEqualTo("1");
            });
            assertThat(host.errorLines()).noneMatch(line -> line.contains("cannot be told"));
        }
    }

    private void assertIsTold(HostJvm host) {
        host.ask("subscribe");
        host.transfer("reset", file, 0, SIZE);
        assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
    }
}
