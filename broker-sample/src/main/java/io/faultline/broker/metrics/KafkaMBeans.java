package io.faultline.broker.metrics;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanRegistrationException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.NotCompliantMBeanException;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.apache.kafka.common.utils.internals.Sanitizer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those of Kafka's own MBeans on which ordinary alert rules rest and that are true of this broker, under Kafka's names:
 *
 * <ul>
 *   <li>{@code kafka.log:type=LogManager,name=OfflineLogDirectoryCount} and, for each log directory, {@code kafka.log:type=LogManager,name=LogDirectoryOffline,logDirectory="…"},
 *       0 or 1;
 *   <li>{@code kafka.server:type=ReplicaManager,name=PartitionCount} and {@code …,name=OfflineReplicaCount};
 *   <li>{@code kafka.controller:type=KafkaController,name=OfflinePartitionsCount}: with one replica each, the same partitions;
 *   <li>{@code kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec}, {@code …,name=BytesInPerSec} and {@code …,name=BytesOutPerSec}.
 * </ul>
 *
 * <p>The first three kinds have the attribute {@code Value}, the last {@code Count}, which is what exporters read; the moving averages of Kafka's are not there.
 *
 * <p>Kafka's names say nothing of a broker, so an MBean server takes the MBeans of one: {@link #register} refuses a second. Of several brokers in one JVM, give the others
 * MBean servers of their own, {@link javax.management.MBeanServerFactory#newMBeanServer()}. Safe for use by any thread.
 */
public final class KafkaMBeans implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(KafkaMBeans.class);

    private final Supplier<BrokerFigures> figures;
    private final MBeanServer server;
    private final Deque<ObjectName> registered = new ArrayDeque<>();

    private KafkaMBeans(Supplier<BrokerFigures> figures, MBeanServer server) {
        this.figures = figures;
        this.server = server;
    }

    /**
     * Registers the MBeans of a broker.
     *
     * @param figures gives the figures of the broker, which is running: those of its latest start
     * @param server where to, such as {@link java.lang.management.ManagementFactory#getPlatformMBeanServer()}
     * @return what takes them out again
     * @throws IllegalStateException if that server has the MBeans of a broker already; nothing is registered then
     */
    public static KafkaMBeans register(Supplier<BrokerFigures> figures, MBeanServer server) {
        KafkaMBeans beans = new KafkaMBeans(figures, server);
        try {
            beans.registerAll();
            return beans;
        } catch (InstanceAlreadyExistsException taken) {
            beans.close();
            throw new IllegalStateException(
                    "another broker of this JVM has the MBean " + taken.getMessage()
                            + "; register this one's with an MBean server of its own",
                    taken);
        } catch (JMException refused) {
            beans.close();
            throw new IllegalStateException("the MBean server refuses: " + refused, refused);
        }
    }

    private void registerAll() throws JMException {
        value(
                "kafka.log:type=LogManager,name=OfflineLogDirectoryCount",
                () -> figures.get().offlineDirectories());
        for (String directory : figures.get().directories()) {
            value(
                    "kafka.log:type=LogManager,name=LogDirectoryOffline,logDirectory="
                            + Sanitizer.jmxSanitize(directory),
                    () -> figures.get().isOffline(directory) ? 1 : 0);
        }
        value(
                "kafka.server:type=ReplicaManager,name=PartitionCount",
                () -> figures.get().partitionCount());
        value(
                "kafka.server:type=ReplicaManager,name=OfflineReplicaCount",
                () -> figures.get().offlinePartitionCount());
        value(
                "kafka.controller:type=KafkaController,name=OfflinePartitionsCount",
                () -> figures.get().offlinePartitionCount());
        count(
                "kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec",
                () -> figures.get().traffic().producedRecords());
        count(
                "kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec",
                () -> figures.get().traffic().producedBytes());
        count(
                "kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec",
                () -> figures.get().traffic().fetchedBytes());
    }

    private void value(String name, LongSupplier value) throws JMException {
        register(name, new StandardMBean((Gauge) value::getAsLong, Gauge.class));
    }

    private void count(String name, LongSupplier count) throws JMException {
        register(name, new StandardMBean((Meter) count::getAsLong, Meter.class));
    }

    private void register(String text, StandardMBean bean)
            throws MalformedObjectNameException, InstanceAlreadyExistsException, MBeanRegistrationException,
                    NotCompliantMBeanException {
        ObjectName name = new ObjectName(text);
        server.registerMBean(bean, name);
        registered.push(name);
    }

    /** Takes the MBeans out again. */
    @Override
    public synchronized void close() {
        while (!registered.isEmpty()) {
            ObjectName name = registered.pop();
            try {
                server.unregisterMBean(name);
            } catch (InstanceNotFoundException gone) {
                LOG.debug("{} was taken out by somebody else", name);
            } catch (JMException refused) {
                LOG.warn("{} cannot be taken out: {}", name, refused.toString());
            }
        }
    }

    /** A figure that goes up and down. */
    public interface Gauge {

        /**
         * What it is now.
         *
         * @return the attribute {@code Value}
         */
        long getValue();
    }

    /** A figure that only grows. */
    public interface Meter {

        /**
         * What it is so far.
         *
         * @return the attribute {@code Count}
         */
        long getCount();
    }
}
