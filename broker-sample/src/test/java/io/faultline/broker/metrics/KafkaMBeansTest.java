package io.faultline.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.faultline.broker.EmbeddedBroker;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class KafkaMBeansTest {

    private final MBeanServer server = MBeanServerFactory.newMBeanServer();

    @Test
    void theyHaveTheNamesAndAttributesOfKafkas() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder()
                        .temporaryDirectories(2)
                        .topic("t", 2)
                        .start();
                KafkaMBeans beans = KafkaMBeans.register(broker::figures, server)) {
            assertThat(beans).isNotNull();
            String failed = broker.directoryOf("t", 1).toString();
            String healthy = broker.directoryOf("t", 0).toString();
            assertThat(get("kafka.log:type=LogManager,name=OfflineLogDirectoryCount", "Value"))
                    .isZero();

            broker.failDirectory(broker.directoryOf("t", 1));

            assertThat(get("kafka.log:type=LogManager,name=OfflineLogDirectoryCount", "Value"))
                    .isOne();
            assertThat(get(offline(failed), "Value")).isOne();
            assertThat(get(offline(healthy), "Value")).isZero();
            assertThat(get("kafka.server:type=ReplicaManager,name=PartitionCount", "Value"))
                    .isEqualTo(2);
            assertThat(get("kafka.server:type=ReplicaManager,name=OfflineReplicaCount", "Value"))
                    .isOne();
            assertThat(get("kafka.controller:type=KafkaController,name=OfflinePartitionsCount", "Value"))
                    .isOne();
            assertThat(get("kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec", "Count"))
                    .isZero();
        }
        assertThat(server.queryNames(new ObjectName("kafka.*:*"), null)).isEmpty();
    }

    private static String offline(String directory) {
        return "kafka.log:type=LogManager,name=LogDirectoryOffline,logDirectory=\"" + directory + "\"";
    }

    private long get(String name, String attribute) throws Exception {
        return (Long) server.getAttribute(new ObjectName(name), attribute);
    }

    @Test
    void aSecondBrokerNeedsAnMBeanServerOfItsOwn() throws Exception {
        try (EmbeddedBroker one = EmbeddedBroker.builder().topic("t", 1).start();
                EmbeddedBroker other = EmbeddedBroker.builder().topic("t", 3).start();
                KafkaMBeans beans = KafkaMBeans.register(one::figures, server)) {
            assertThat(beans).isNotNull();
            assertThatThrownBy(() -> KafkaMBeans.register(other::figures, server))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("OfflineLogDirectoryCount")
                    .hasMessageContaining("MBean server of its own");
            assertThat(get("kafka.server:type=ReplicaManager,name=PartitionCount", "Value"))
                    .isOne();
            MBeanServer second = MBeanServerFactory.newMBeanServer();
            try (KafkaMBeans others = KafkaMBeans.register(other::figures, second)) {
                assertThat(others).isNotNull();
                assertThat(second.getAttribute(
                                new ObjectName("kafka.server:type=ReplicaManager,name=PartitionCount"), "Value"))
                        .isEqualTo(3L);
            }
        }
    }
}
