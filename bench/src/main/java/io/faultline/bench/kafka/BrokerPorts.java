package io.faultline.bench.kafka;

import io.faultline.bench.host.FreePorts;
import java.io.IOException;

/**
 * Where a broker listens.
 *
 * @param plaintext the port for plaintext
 * @param tls the port for TLS
 */
record BrokerPorts(int plaintext, int tls) {

    static BrokerPorts free() throws IOException {
        return new BrokerPorts(FreePorts.next(), FreePorts.next());
    }

    /** As Kafka wants it in its configuration. */
    String listeners() {
        return "PLAINTEXT://" + plaintextAddress() + ",SSL://" + tlsAddress();
    }

    String plaintextAddress() {
        return "127.0.0.1:" + plaintext;
    }

    String tlsAddress() {
        return "127.0.0.1:" + tls;
    }
}
