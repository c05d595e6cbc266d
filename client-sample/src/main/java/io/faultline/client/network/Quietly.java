package io.faultline.client.network;

import java.io.Closeable;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what nobody can do anything more about. */
final class Quietly {

    private static final Logger LOG = LoggerFactory.getLogger(Quietly.class);

    private Quietly() {}

    static void close(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException failure) {
            LOG.debug("Closing {}", closeable, failure);
        }
    }
}
