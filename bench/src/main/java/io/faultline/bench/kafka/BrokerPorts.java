package io.faultline.bench.kafka;

import io.faultline.bench.host.FreePorts;
import java.io.IOException;

/**
 * Where a broker listens.
 *
 * @param host its address
 * @param plaintext the port for plaintext
 * @param tls the port for TLS
 */
record BrokerPorts(String host, int plaintext, int tls) {

    static BrokerPorts free(String host) throws IOException {
        return new BrokerPorts(host, FreePorts.next(), FreePorts.next());
    }

    /** As Kafka wants it in its configuration. */
    String listeners() {
        return "PLAINTEXT://" + plaintextAddress() + ",SSL://" + tlsAddress();
    }

    String plaintextAddress() {
        return host + ":" + plaintext;
    }

    String tlsAddress() {
        return host + ":" + tls;
    }
}
