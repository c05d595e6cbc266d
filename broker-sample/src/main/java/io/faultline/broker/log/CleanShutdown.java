package io.faultline.broker.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The mark {@code .kafka_cleanshutdown} of a log directory: that all its logs were flushed and closed by whoever had it last, so that
 * none needs recovery.
 */
final class CleanShutdown {

    private static final String FILE = ".kafka_cleanshutdown";
    /** As Kafka's, of a broker whose epoch is not known. */
    private static final String CONTENT = "{\"version\":0,\"brokerEpoch\":-1}";

    private CleanShutdown() {}

    /** Sets the mark, durably. */
    static void mark(Path directory) throws IOException {
        Durability.replace(directory.resolve(FILE), CONTENT);
    }

    /** Takes the mark away, durably: a crash from now on, the start included, finds none. Returns whether there was one. */
    static boolean take(Path directory) throws IOException {
        boolean clean = Files.deleteIfExists(directory.resolve(FILE));
        if (clean) {
            Durability.flushFolder(directory);
        }
        return clean;
    }
}
