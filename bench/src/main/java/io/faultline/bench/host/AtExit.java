package io.faultline.bench.host;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/** What has to go with this JVM, also when it is interrupted from the keyboard: processes and folders. The latest goes first. */
public final class AtExit {

    private static final Deque<AutoCloseable> OPEN = new ConcurrentLinkedDeque<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(AtExit::closeAll, "at-exit"));
    }

    private AtExit() {}

    /**
     * Remembers something to close.
     *
     * @param resource what to close if this JVM ends before it is forgotten
     */
    public static void close(AutoCloseable resource) {
        OPEN.addFirst(resource);
    }

    /**
     * Forgets something that has been closed.
     *
     * @param resource what was remembered
     */
    public static void forget(AutoCloseable resource) {
        OPEN.remove(resource);
    }

    private static void closeAll() {
        for (AutoCloseable resource : OPEN) {
            try {
                resource.close();
            } catch (Exception left) {
                System.err.println("left behind: " + left);
            }
        }
    }
}
