package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

// The example of BrokerExtension, letter by letter: JavadocExamplesTest compares them.
class OrdersTest {

    @RegisterExtension
    final BrokerExtension kafka =
            new BrokerExtension(builder -> builder.temporaryDirectories(2).topic("orders", 2));

    @Test
    void ordersOnTheHealthyDiskAreStillTaken(EmbeddedBroker broker) throws Exception {
        broker.failDirectory(broker.directoryOf("orders", 0));
        Map<String, Object> connection = Map.of("bootstrap.servers", broker.bootstrapServers());
        try (Producer<String, String> producer =
                new KafkaProducer<>(connection, new StringSerializer(), new StringSerializer())) {
            long offset = producer.send(new ProducerRecord<>("orders", 1, "key", "value"))
                    .get()
                    .offset();
            assertThat(offset).isZero();
        }
    }
}
