package io.faultline.client.network;

/**
 * Where a peer listens.
 *
 * @param host a name or a literal address
 * @param port the port
 */
public record HostPort(String host, int port) {
    @Override
    public String toString() {
        return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
    }
}
