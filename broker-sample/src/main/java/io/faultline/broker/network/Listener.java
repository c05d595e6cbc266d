package io.faultline.broker.network;

import java.util.Locale;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * One endpoint, such as {@code PLAINTEXT://127.0.0.1:9092}.
 *
 * @param protocol {@code PLAINTEXT} or {@code SSL}
 * @param host the host to listen on or to advertise, "" for every interface
 * @param port the port, 0 for any free one
 */
public record Listener(SecurityProtocol protocol, String host, int port) {

    /**
     * Reads an endpoint.
     *
     * @param text the text
     * @return the endpoint
     * @throws IllegalArgumentException if it is none; the message says what is accepted
     */
    public static Listener parse(String text) {
        int scheme = text.indexOf("://");
        int colon = text.lastIndexOf(':');
        if (scheme < 0 || colon <= scheme) {
            throw refused(text);
        }
        String name = text.substring(0, scheme).toUpperCase(Locale.ROOT);
        String host = text.substring(scheme + 3, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (port >= 0 && port <= 0xFFFF && (name.equals("PLAINTEXT") || name.equals("SSL"))) {
                return new Listener(SecurityProtocol.forName(name), host, port);
            }
        } catch (NumberFormatException ignored) {
            // Refused below, like any other text.
        }
        throw refused(text);
    }

    private static IllegalArgumentException refused(String text) {
        return new IllegalArgumentException("'" + text
                + "' is no listener: accepted are PLAINTEXT://HOST:PORT and SSL://HOST:PORT, with port 0 for a "
                + "free one");
    }

    /**
     * Host and port, as clients are given them.
     *
     * @return such as {@code 127.0.0.1:9092} or {@code [::1]:9092}
     */
    public String hostAndPort() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    @Override
    public String toString() {
        return protocol.name + "://" + hostAndPort();
    }
}
