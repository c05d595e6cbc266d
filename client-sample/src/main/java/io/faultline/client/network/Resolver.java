package io.faultline.client.network;

import java.net.InetAddress;
import java.util.List;
import java.util.function.BiConsumer;

/** Finds the addresses of a host, without holding up the loop. */
public interface Resolver {

    /**
     * Looks a host up.
     *
     * @param host a name or a literal address
     * @param found called on the loop, at some time or never: the addresses, or the failure
     */
    void resolve(String host, BiConsumer<List<InetAddress>, Exception> found);

    /** Gives back the threads. Lookups that run are not waited for. */
    void close();
}
