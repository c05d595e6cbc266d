package io.faultline.bench.host;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/** What has to go with this JVM, also when it is interrupted from the keyboard: processes and folders. The latest goes first. */
public final class AtExit {

    private static final Deque<AutoCloseable> OPEN = new ConcurrentLinkedDeque<>();
    private static volatile boolean ending;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(AtExit::closeAll, "at-exit"));
    }

    private AtExit() {}

    /**
     * Remembers something to close.
     *
     * @param resource what to close if this JVM ends before it is forgotten
     * @throws IllegalStateException if this JVM ends already; the resource is closed then
     */
    public static void close(AutoCloseable resource) {
        OPEN.addFirst(resource);
        if (ending) { // an experiment goes on while the JVM ends
            closeAll();
            throw new IllegalStateException("this JVM is ending");
        }
    }

    /**
     * Forgets something that has been closed.
     *
     * @param resource what was remembered
     */
    public static void forget(AutoCloseable resource) {
        OPEN.remove(resource);
    }

    private static synchronized void closeAll() {
        ending = true;
        for (AutoCloseable resource : OPEN) {
            try {
                resource.close();
            } catch (Exception left) {
                System.err.println("left behind: " + left);
            }
        }
    }
}
