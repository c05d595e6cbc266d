package io.faultline.bench.junit;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.broker.junit.BrokerExtension;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test with the bundled broker's JUnit extension, one broker for the test. */
final class OnBundledBroker {

    @RegisterExtension
    final BrokerExtension kafka = new BrokerExtension();

    @Test
    void oneRecord(EmbeddedBroker broker) throws ExecutionException, InterruptedException {
        OneRecord.thereAndBack(broker.bootstrapServers());
    }
}
