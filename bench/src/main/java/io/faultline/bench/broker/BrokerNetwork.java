package io.faultline.bench.broker;

import java.util.List;
import java.util.Map;

/**
 * Where brokers live, and by what clients reach them.
 *
 * @param command what the commands of their processes begin with, to be in a network namespace; empty for that of this process
 * @param hosts the address of each broker, the first broker's first; the loopback for those beyond the list
 * @param fronts by broker, what stands between it and its clients; none for those that clients reach directly
 */
public record BrokerNetwork(List<String> command, List<String> hosts, Map<Integer, Front> fronts) {

    /** All on the loopback, reached directly. */
    public static final BrokerNetwork LOOPBACK = new BrokerNetwork(List.of(), List.of(), Map.of());

    private static final String LOCALHOST = "127.0.0.1";

    /**
     * A proxy before a broker.
     *
     * @param listen host and port on which the broker awaits what the proxy forwards
     * @param advertise host and port of the proxy, which the broker tells its clients
     */
    public record Front(String listen, String advertise) {}

    /**
     * The address of a broker.
     *
     * @param id from 1 on
     * @return an IP address
     */
    public String host(int id) {
        return id <= hosts.size() ? hosts.get(id - 1) : LOCALHOST;
    }

    /**
     * The proxy before a broker.
     *
     * @param id from 1 on
     * @return the proxy, or null for none
     */
    public Front front(int id) {
        return fronts.get(id);
    }
}
