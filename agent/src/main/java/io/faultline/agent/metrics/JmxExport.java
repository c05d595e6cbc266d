package io.faultline.agent.metrics;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tag;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * Shows every meter of a registry as an MBean {@code kafka.faultline:type=Faultline,name=…,<tags>}: the domain and form that the usual jmx_exporter rules for Kafka take.
 *
 * <p>It never makes the platform's MBean server: the host may want to make its own kind. {@link #tryToRegister} waits for one to appear.
 */
public final class JmxExport {

    private static final String DOMAIN = "kafka.faultline";

    /** As many as jmx_exporter's usual rules for Kafka take; further ones are joined. */
    private static final int MOST_TAGS = 2;

    private final MeterRegistry registry;
    private final AgentControlMBean control;
    private final Set<ObjectName> registered = new HashSet<>();
    private MBeanServer server;
    private boolean closed;

    /**
     * Makes an export that shows nothing yet.
     *
     * @param registry whose meters to show
     */
    public JmxExport(MeterRegistry registry) {
        this(registry, null);
    }

    /**
     * Makes an export that shows nothing yet.
     *
     * @param registry whose meters to show
     * @param control what can be asked and changed, shown as {@code name=Control}; null for nothing
     */
    public JmxExport(MeterRegistry registry, AgentControlMBean control) {
        this.registry = registry;
        this.control = control;
    }

    /**
     * Registers what is there, and what comes, as soon as the host has a platform MBean server.
     *
     * @return true if it has
     * @throws JMException if the MBean server refuses
     */
    public synchronized boolean tryToRegister() throws JMException {
        MBeanServer platform = closed ? null : platformServer();
        if (platform == null) {
            return false;
        }
        server = platform;
        registry.config().onMeterAdded(this::registerQuietly);
        for (Meter meter : registry.getMeters()) {
            register(meter);
        }
        if (control != null) {
            ObjectName name = new ObjectName(DOMAIN + ":type=Faultline,name=Control");
            server.registerMBean(new StandardMBean(control, AgentControlMBean.class), name);
            registered.add(name);
        }
        return true;
    }

    /** Takes every MBean out again, for good. */
    public synchronized void unregister() {
        closed = true;
        for (ObjectName name : registered) {
            try {
                server.unregisterMBean(name);
            } catch (InstanceNotFoundException gone) { // somebody was faster
            } catch (JMException refused) { // nothing more can be done
            }
        }
        registered.clear();
    }

    /** The server that holds java.lang:type=Runtime: that is the platform's. Looking for it makes none. */
    private static MBeanServer platformServer() throws MalformedObjectNameException {
        ObjectName runtime = new ObjectName("java.lang:type=Runtime");
        for (MBeanServer candidate : MBeanServerFactory.findMBeanServer(null)) {
            if (candidate.isRegistered(runtime)) {
                return candidate;
            }
        }
        return null;
    }

    private void registerQuietly(Meter meter) {
        try {
            register(meter);
        } catch (JMException refused) { // the meter is still on the other ways out
        }
    }

    private synchronized void register(Meter meter) throws JMException {
        if (closed) {
            return;
        }
        ObjectName name = nameOf(meter);
        try {
            server.registerMBean(new MeterBean(meter), name);
            registered.add(name);
        } catch (InstanceAlreadyExistsException there) { // both the loop and the callback saw it
        }
    }

    private static ObjectName nameOf(Meter meter) throws MalformedObjectNameException {
        // Type and name first, as Kafka's own: jmx_exporter's rules for Kafka go by that order.
        StringBuilder name = new StringBuilder(DOMAIN)
                .append(":type=Faultline,name=")
                .append(camelCase(meter.getId().getName()));
        List<Tag> tags = meter.getId().getTags();
        int alone = tags.size() > MOST_TAGS ? MOST_TAGS - 1 : tags.size();
        for (Tag tag : tags.subList(0, alone)) {
            name.append(',').append(tag.getKey()).append('=').append(quoteIfNeeded(tag.getValue()));
        }
        if (alone < tags.size()) {
            List<Tag> joined = tags.subList(alone, tags.size());
            name.append(',').append(joined.stream().map(Tag::getKey).collect(Collectors.joining("_")));
            name.append('=').append(joined.stream().map(Tag::getValue).collect(Collectors.joining("-")));
        }
        return new ObjectName(name.toString());
    }

    private static String quoteIfNeeded(String value) {
        return value.isEmpty() || value.chars().anyMatch(c -> ",=:\"*?\n".indexOf(c) >= 0)
                ? ObjectName.quote(value)
                : value;
    }

    /** "faultline.check.read" as CheckRead. */
    private static String camelCase(String dotted) {
        StringBuilder name = new StringBuilder();
        for (String word : dotted.substring(dotted.indexOf('.') + 1).split("\\.")) {
            name.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        return name.toString();
    }

    /** One meter. Its attributes are its measurements: Value for a gauge, Count for a counter, Count, TotalTime and Max for a timer. */
    private static final class MeterBean implements DynamicMBean {

        private final Meter meter;

        private MeterBean(Meter meter) {
            this.meter = meter;
        }

        @Override
        public Object getAttribute(String attribute) throws AttributeNotFoundException {
            Double value = values().get(attribute);
            if (value == null) {
                throw new AttributeNotFoundException(attribute);
            }
            return value;
        }

        @Override
        public AttributeList getAttributes(String[] attributes) {
            AttributeList list = new AttributeList();
            Map<String, Double> values = values();
            for (String attribute : attributes) {
                if (values.containsKey(attribute)) {
                    list.add(new Attribute(attribute, values.get(attribute)));
                }
            }
            return list;
        }

        @Override
        public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
            throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
        }

        @Override
        public AttributeList setAttributes(AttributeList attributes) {
            return new AttributeList();
        }

        @Override
        public Object invoke(String action, Object[] parameters, String[] signature) {
            throw new UnsupportedOperationException(action);
        }

        @Override
        public MBeanInfo getMBeanInfo() {
            MBeanAttributeInfo[] attributes = values().keySet().stream()
                    .map(name -> new MBeanAttributeInfo(name, "double", name, true, false, false))
                    .toArray(MBeanAttributeInfo[]::new);
            String description = meter.getId().getDescription();
            return new MBeanInfo(
                    MeterBean.class.getName(), description == null ? "" : description, attributes, null, null, null);
        }

        private Map<String, Double> values() {
            Map<String, Double> values = new LinkedHashMap<>();
            for (Measurement measurement : meter.measure()) {
                values.put(attribute(measurement.getStatistic()), measurement.getValue());
            }
            return values;
        }

        private static String attribute(Statistic statistic) {
            return switch (statistic) {
                case COUNT, TOTAL -> "Count";
                case TOTAL_TIME -> "TotalTime";
                case MAX -> "Max";
                case VALUE, UNKNOWN, ACTIVE_TASKS, DURATION -> "Value";
            };
        }
    }
}
