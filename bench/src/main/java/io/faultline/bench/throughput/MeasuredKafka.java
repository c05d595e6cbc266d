package io.faultline.bench.throughput;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.FirstAnswer;
import io.faultline.bench.host.ProcessFigures;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.kafka.SingleKafka;
import java.io.IOException;
import java.util.Properties;

/** One node of Apache Kafka. */
final class MeasuredKafka implements MeasuredBroker {

    private final SingleKafka node;

    private MeasuredKafka(SingleKafka node) {
        this.node = node;
    }

    static MeasuredKafka start(Layout layout, KafkaVersion version) throws IOException, InterruptedException {
        return new MeasuredKafka(SingleKafka.start(layout, version, CONFIGURATION, JVM));
    }

    @Override
    public Properties client(Listener listener) {
        return listener == Listener.TLS ? node.tlsClient() : node.plaintextClient();
    }

    @Override
    public ProcessFigures figures() throws IOException {
        return ProcessFigures.of(pid());
    }

    @Override
    public long pid() {
        return node.process().pid();
    }

    @Override
    public FirstAnswer restart() throws IOException, InterruptedException {
        node.stop();
        long began = System.nanoTime();
        node.startAgain();
        return FirstAnswer.await(node.process(), node.port(), began);
    }

    @Override
    public void close() throws IOException {
        node.close();
    }
}
