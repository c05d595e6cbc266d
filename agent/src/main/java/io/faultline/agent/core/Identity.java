package io.faultline.agent.core;

import io.faultline.agent.kafka.KafkaIdentity;
import io.faultline.agent.weave.JmxWatch;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Who writes an audit: the agent's version, the process, and the node and cluster as soon as Kafka shows them. Safe for use from several threads. */
final class Identity implements Supplier<Map<String, Object>> {

    private final String version;
    private final Supplier<JmxWatch> jmx;

    /** Made when it is first needed: it loads classes of JMX. */
    private KafkaIdentity kafka;

    /**
     * Makes one.
     *
     * @param jmx tells when the host uses JMX; may give null for now
     */
    Identity(String version, Supplier<JmxWatch> jmx) {
        this.version = version;
        this.jmx = jmx;
    }

    @Override
    public synchronized Map<String, Object> get() {
        Map<String, Object> who = new LinkedHashMap<>();
        who.put("version", version);
        who.put("pid", ProcessHandle.current().pid());
        JmxWatch watch = jmx.get();
        if (watch != null && watch.hostUsesJmx()) {
            if (kafka == null) {
                kafka = new KafkaIdentity();
            }
            who.putAll(kafka.look());
        }
        return who;
    }
}
