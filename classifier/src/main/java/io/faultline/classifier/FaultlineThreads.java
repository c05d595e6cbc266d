package io.faultline.classifier;

/**
 * Makes Faultline's threads: daemon platform threads that take over nothing of whoever happens to make them, and that
 * nobody interrupts.
 */
public final class FaultlineThreads {

    private static final long DEFAULT_STACK = 0;

    private FaultlineThreads() {}

    /**
     * Starts a daemon thread.
     *
     * @param name the thread's name, after "faultline-"
     * @param work what it runs
     * @return the started thread
     */
    public static Thread start(String name, Runnable work) {
        // No inherited thread locals and no context class loader: a thread made in a host's call must not keep the
        // host's application alive.
        Thread thread = new Thread(null, work, "faultline-" + name, DEFAULT_STACK, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
        return thread;
    }
}
