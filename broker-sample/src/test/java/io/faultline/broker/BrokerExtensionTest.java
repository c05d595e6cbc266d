package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import io.faultline.broker.junit.BrokerNamed;
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

    @Nested
    class AroundAClassWithNestedOnes {

        @RegisterExtension
        static final BrokerExtension EXTENSION = new BrokerExtension();

        private static EmbeddedBroker first;

        @RepeatedTest(2)
        void allTestsHaveTheSameBroker(EmbeddedBroker broker) {
            first = first == null ? broker : first;
            assertThat(broker).isSameAs(first);
        }

        @Nested
        class Inner {

            @Test
            void nestedOnesToo(EmbeddedBroker broker) {
                first = first == null ? broker : first;
                assertThat(broker).isSameAs(first).isSameAs(EXTENSION.broker());
            }
        }
    }

    @Nested
    class SideBySide {

        @RegisterExtension
        static final BrokerExtension LEFT = new BrokerExtension("left", builder -> builder.topic("t", 1));

        @RegisterExtension
        static final BrokerExtension RIGHT = new BrokerExtension("right", builder -> builder.tls());

        @Test
        void aParameterSaysWhichBrokerItIs(
                @BrokerNamed("left") EmbeddedBroker left, @BrokerNamed("right") EmbeddedBroker right) {
            assertThat(left).isSameAs(LEFT.broker());
            assertThat(right).isSameAs(RIGHT.broker());
            assertThat(left.bootstrapServers()).isNotEqualTo(right.bootstrapServers());
            assertThat(left.topics().byName("t")).isPresent();
            assertThat(right.topics().all()).isEmpty();
        }
    }
}
