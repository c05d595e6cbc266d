package io.faultline.bench.librdkafka;

import io.faultline.bench.host.AtExit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs librdkafka's tests, each in a process of its own. */
final class TestRunner {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final LibrdkafkaSource source;
    private final String brokerVersion;
    private final Path kafkaScripts;
    private final Path logs;

    /**
     * Makes a runner.
     *
     * @param source the tests
     * @param brokerVersion the release of Kafka that they are to expect
     * @param kafkaScripts a folder with {@code bin/kafka-topics.sh} and the others that tests call
     * @param logs where what they print goes
     */
    TestRunner(LibrdkafkaSource source, String brokerVersion, Path kafkaScripts, Path logs) {
        this.source = source;
        this.brokerVersion = brokerVersion;
        this.kafkaScripts = kafkaScripts;
        this.logs = logs;
    }

    /**
     * Runs a test, in quick mode, and waits for it; a test that takes more than five minutes is ended.
     *
     * @param test the test
     * @param broker what the broker is called in the name of its log
     * @param address its host and port
     */
    TestResult run(LibrdkafkaTest test, String broker, String address) throws IOException, InterruptedException {
        String name = test.title().replace('/', '-') + "-" + broker;
        Path configuration = logs.resolve(name + ".conf");
        Files.writeString(configuration, "metadata.broker.list=" + address + "\ntest.topic.random=true\n");
        Path log = logs.resolve(name + ".log");
        // -L leaves out the tests that need no broker, some of which share a name with one that does.
        ProcessBuilder builder = new ProcessBuilder("./test-runner", "-p1", "-Q", "-L")
                .directory(source.tests().toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        Map<String, String> environment = builder.environment();
        // Continuous integration would make it more patient, and run several tests at a time.
        environment.keySet().removeAll(List.of("CI", "SUBTESTS", "TESTS_SKIP", "TEST_DEBUG"));
        environment.put("TESTS", test.name());
        if (test.part() != null) {
            // The colon follows the name of the function, so that no longer name is meant.
            environment.put("SUBTESTS", test.part() + ":");
        }
        environment.put("TEST_SCENARIO", test.scenario());
        environment.put("TEST_KAFKA_VERSION", brokerVersion);
        environment.put("RDKAFKA_TEST_CONF", configuration.toString());
        environment.put("LD_LIBRARY_PATH", "../src:../src-cpp");
        environment.put("BROKERS", address);
        environment.put("KAFKA_PATH", kafkaScripts.toString());
        long began = System.nanoTime();
        boolean ended = runToItsEnd(builder);
        long seconds = Math.round((System.nanoTime() - began) / 1e9);
        String output = Files.readString(log).replace(kafkaScripts.toString(), "$KAFKA_PATH");
        return ended ? TestResult.of(test, output, seconds) : TestResult.timedOut(output, seconds);
    }

    private static boolean runToItsEnd(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.start();
        AutoCloseable atExit = () -> end(process);
        AtExit.close(atExit);
        try {
            return process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } finally {
            end(process);
            AtExit.forget(atExit);
        }
    }

    /** With the command-line tools that it has started. */
    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
