package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.kafka.KafkaVersion;
import java.io.IOException;

/** What can be started. */
enum HostKind {
    MAIN("an empty main") {
        @Override
        Host host(Layout layout, KafkaVersion version) {
            return new EmptyMainHost(layout);
        }
    },
    BROKER("the bundled broker") {
        @Override
        Host host(Layout layout, KafkaVersion version) throws IOException {
            return new BundledBrokerHost(layout);
        }
    },
    KAFKA("Apache Kafka") {
        @Override
        Host host(Layout layout, KafkaVersion version) throws IOException, InterruptedException {
            return new KafkaHost(layout, version);
        }
    };

    private final String text;

    HostKind(String text) {
        this.text = text;
    }

    /** Makes one, with whatever it needs to be started. */
    abstract Host host(Layout layout, KafkaVersion version) throws IOException, InterruptedException;

    /** For people. */
    String text() {
        return text;
    }
}
