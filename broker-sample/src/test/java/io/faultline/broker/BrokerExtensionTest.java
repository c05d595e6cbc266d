package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

class BrokerExtensionTest {

    @Nested
    @ExtendWith(BrokerExtension.class)
    class AroundAClass {

        @Test
        void theBrokerIsAParameter(EmbeddedBroker broker) throws Exception {
            Clients.plaintext(broker).createTopic("t", 1);
            assertThat(broker.topics().byName("t")).isPresent();
        }
    }

    @Nested
    class AroundATest {

        @RegisterExtension
        final BrokerExtension extension = new BrokerExtension(builder -> builder.temporaryDirectories(3));

        @RepeatedTest(2)
        void eachTestHasABrokerOfItsOwn(EmbeddedBroker broker) {
            assertThat(broker).isSameAs(extension.broker());
            assertThat(broker.directories()).hasSize(3);
            assertThat(broker.topics().all()).isEmpty();
            broker.topics().create("t", 1);
        }
    }
}
