package io.faultline.bench.subject;

import java.util.Map;

/** Which client is under test. Both know Kafka's configuration names. */
public enum ClientKind {

    /** This project's. */
    FAULTLINE("bundled client") {
        @Override
        SubjectProducer producer(Map<String, String> configuration) {
            return new FaultlineProducer(configuration);
        }

        @Override
        SubjectConsumer consumer(Map<String, String> configuration) {
            return new FaultlineConsumer(configuration);
        }

        @Override
        boolean isThread(String name) {
            return name.startsWith("faultline-");
        }

        @Override
        boolean isHelper(String name) {
            return name.endsWith("-resolver") || name.endsWith("-tls") || name.endsWith("-closer");
        }
    },

    /** Apache Kafka's own, the yardstick. */
    JAVA("kafka-clients") {
        @Override
        SubjectProducer producer(Map<String, String> configuration) {
            return new JavaProducer(configuration);
        }

        @Override
        SubjectConsumer consumer(Map<String, String> configuration) {
            return new JavaConsumer(configuration);
        }

        @Override
        boolean isThread(String name) {
            return name.startsWith("kafka-");
        }
    };

    private final String title;

    ClientKind(String title) {
        this.title = title;
    }

    /**
     * What it is called in tables.
     *
     * @return a name
     */
    public String title() {
        return title;
    }

    abstract SubjectProducer producer(Map<String, String> configuration);

    abstract SubjectConsumer consumer(Map<String, String> configuration);

    /** Whether a thread of that name is the client's. */
    abstract boolean isThread(String name);

    /** Whether such a thread is made for one piece of work, and ends when that is done. */
    boolean isHelper(String name) {
        return false;
    }
}
