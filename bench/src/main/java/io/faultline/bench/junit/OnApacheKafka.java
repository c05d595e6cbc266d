package io.faultline.bench.junit;

import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The same test on Kafka's own test kit, one cluster of one node for the test. */
final class OnApacheKafka {

    private TestKit kafka;

    @BeforeEach
    void start() throws ReflectiveOperationException {
        kafka = TestKit.start();
    }

    @AfterEach
    void stop() throws ReflectiveOperationException {
        kafka.close();
    }

    @Test
    void oneRecord() throws ReflectiveOperationException, ExecutionException, InterruptedException {
        OneRecord.thereAndBack(kafka.bootstrapServers());
    }
}
