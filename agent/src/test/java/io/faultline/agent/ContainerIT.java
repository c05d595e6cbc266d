package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.agent.host.Host;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Root attaches to the JVM of another user, in another mount and PID namespace and with a root that is read-only, as in a container.
 */
class ContainerIT {

    private static final String NOBODY = "65534";

    private Process container;
    private Path jars;
    private BufferedReader out;

    @BeforeEach
    void needsRoot() throws IOException {
        boolean possible = Files.isWritable(Path.of("/proc/sys/kernel/ns_last_pid"))
                && Files.isExecutable(Path.of("/usr/bin/unshare"))
                && Files.isExecutable(Path.of("/usr/bin/setpriv"));
        if (!possible && "true".equals(System.getenv("CI"))) {
            throw new AssertionError("a container needs root, unshare and setpriv: apt-get install util-linux");
        }
        Assumptions.assumeTrue(possible, "a container needs root, unshare and setpriv");
    }

    private long start(String temporary) throws IOException {
        String script =
                "mount -t proc proc /proc && " + temporary + " && mount -o remount,bind,ro / && exec setpriv --reuid "
                        + NOBODY + " --regid " + NOBODY + " --clear-groups \"$@\"";
        List<String> command = new ArrayList<>(
                List.of("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh"));
        command.addAll(List.of(
                TestJdk.tool("java"),
                "-Xmx64m",
                "-cp",
                copied(HostJar.host()) + ":" + copied(HostJar.classifier()),
                Host.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        HostJvm.clean(builder.environment());
        container = builder.start();
        out = new BufferedReader(new InputStreamReader(container.getInputStream(), StandardCharsets.UTF_8));
        container.getOutputStream().write("threads\n".getBytes(StandardCharsets.UTF_8));
        container.getOutputStream().flush();
        assertThat(out.readLine()).as("the host answers").startsWith("=");
        return container.descendants().findFirst().orElseThrow().pid();
    }

    /** To where the other user can read it, and no mount hides it: the build may lie below /tmp, or in a closed folder. */
    private Path copied(Path jar) throws IOException {
        if (jars == null) {
            jars = Files.createTempDirectory(Path.of("/var/tmp"), "faultline-container");
            Files.setPosixFilePermissions(jars, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Path copy = Files.copy(jar, jars.resolve(jar.getFileName()));
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
        return copy;
    }

    @AfterEach
    void end() throws Exception {
        if (container != null) {
            container.getOutputStream().close();
            if (!container.waitFor(HostJvm.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                container.destroyForcibly().waitFor();
            }
        }
        if (jars != null) {
            try (Stream<Path> left = Files.list(jars)) {
                for (Path copy : left.toList()) {
                    Files.delete(copy);
                }
            }
            Files.delete(jars);
        }
    }

    @Test
    void theAgentIsAttachedAskedAndDetached() throws IOException {
        long pid = start("mount -t tmpfs tmpfs /tmp");

        Finished attach = AgentCommand.run("attach", pid, "mode=observe");

        assertThat(attach.exit()).as("%s", attach.err()).isZero();
        assertThat(attach.out())
                .containsExactly(
                        "Faultline " + AgentJar.version() + " is attached to process " + pid + ", mode observe");
        assertThat(AgentCommand.run("status", pid).out()).contains("mode=observe", "errors=0");
        assertThat(AgentCommand.run("mode", pid, "act").exit()).isZero();
        assertThat(AgentCommand.run("detach", pid).out()).containsExactly("detached");
    }

    @Test
    void whereNothingCanBeWrittenItIsSaidWhatToDo() throws IOException {
        long pid = start("true");

        Finished attach = AgentCommand.run("attach", pid);

        assertThat(attach.exit()).isEqualTo(1);
        assertThat(attach.err())
                .singleElement()
                .asString()
                .contains("its /tmp is mounted read-only", "a tmpfs; in Kubernetes an emptyDir", "-javaagent");
    }
}
