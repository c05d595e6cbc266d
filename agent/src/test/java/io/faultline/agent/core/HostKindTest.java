package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class HostKindTest {

    private static final String JAR = "/opt/faultline agent/faultline-agent.jar";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kafka.admin.ConfigCommand --alter",
                "kafka.tools.StorageTool format",
                "kafka.docker.KafkaDockerWrapper setup",
                "org.apache.kafka.tools.TopicCommand --list",
                "org.apache.kafka.shell.MetadataShell",
                "org.apache.zookeeper.ZooKeeperMain -server localhost",
                "jdk.jcmd/sun.tools.jcmd.JCmd -h",
                "jdk.compiler/com.sun.tools.javac.Main A.java",
                "java.base/sun.security.tools.keytool.Main -list",
                "java.rmi/sun.rmi.registry.RegistryImpl",
                "io.faultline.agent.FaultlineAgent status 1",
                JAR,
                JAR + " attach 1"
            })
    void toolsAreKnownByTheirMainClass(String command) {
        assertThat(HostKind.isTool(command, JAR)).isTrue();
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {
                "kafka.Kafka config/server.properties",
                "org.apache.kafka.connect.cli.ConnectDistributed worker.properties",
                "jdk.example.Server",
                "com.example.Server kafka.tools.StorageTool",
                "/opt/broker.jar " + JAR,
                "server.jar"
            })
    void everythingElseIsAServer(String command) {
        assertThat(HostKind.isTool(command, JAR)).isFalse();
    }

    @Test
    void theAgentsOwnJarIsKnownByARelativeName() {
        Path jar = Path.of("target/faultline-agent.jar").toAbsolutePath();

        assertThat(HostKind.isTool("target/faultline-agent.jar attach 1", jar.toString()))
                .isTrue();
        assertThat(HostKind.isTool("./target/../target/faultline-agent.jar", jar.toString()))
                .isTrue();
        assertThat(HostKind.isTool("other/faultline-agent.jar attach 1", jar.toString()))
                .isFalse();
    }
}
