package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.FirstAnswer;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.kafka.SingleKafka;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** One node of Apache Kafka, broker and controller in one, over its own empty directories: from the start of its process to its first answer. */
final class KafkaHost implements Host {

    private static final List<String> JVM = List.of("-Xmx512m", "-XX:+UseG1GC");

    private final Layout layout;
    private final SingleKafka node;

    /** It has been started once then, and formatted, and does not run. */
    KafkaHost(Layout layout, KafkaVersion version) throws IOException, InterruptedException {
        this.layout = layout;
        this.node = SingleKafka.start(layout, version, Map.of(), JVM);
        node.stop();
    }

    @Override
    public Start start(JvmAgent agent) throws IOException, InterruptedException {
        long began = System.nanoTime();
        node.startAgain(agent.jvmOptions(layout));
        try {
            FirstAnswer answer = FirstAnswer.await(node.process(), node.port(), began);
            return new Start(answer.millis(), answer.cpuMillis(), agent.millisUntilWoven(node.process()));
        } finally {
            node.stop();
        }
    }

    @Override
    public void close() throws IOException {
        node.close();
    }
}
