package io.faultline.agent.kafka;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;

/**
 * Which node of which cluster this JVM is, as Kafka itself shows it over JMX. Looking makes no MBean server; to be asked only once the host uses JMX.
 */
public final class KafkaIdentity {

    private volatile Map<String, Object> known = Map.of();

    /** Makes one that has looked at nothing yet. */
    public KafkaIdentity() {}

    /**
     * Looks, unless both are known.
     *
     * @return node and cluster, as far as they are known
     */
    public Map<String, Object> look() {
        if (known.size() < 2) {
            Map<String, Object> found = new LinkedHashMap<>();
            for (MBeanServer server : MBeanServerFactory.findMBeanServer(null)) {
                try {
                    for (ObjectName info : server.queryNames(new ObjectName("kafka.server:type=app-info,id=*"), null)) {
                        found.put("node", info.getKeyProperty("id"));
                    }
                    Set<ObjectName> clusters = server.queryNames(new ObjectName("kafka.server:name=ClusterId,*"), null);
                    for (ObjectName cluster : clusters) {
                        found.put("cluster", String.valueOf(server.getAttribute(cluster, "Value")));
                    }
                } catch (JMException | RuntimeException notThere) { // or no more: asked again with the next entry
                }
            }
            known = found;
        }
        return known;
    }
}
