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
        Thread thread = unstarted(name, work);
        thread.start();
        return thread;
    }

    /**
     * Makes a daemon thread that somebody else starts.
     *
     * @param name the thread's name, after "faultline-"
     * @param work what it runs
     * @return the thread
     */
    public static Thread unstarted(String name, Runnable work) {
        // No inherited thread locals, group or class loader: a thread made in a host's call must not keep the host's
        // application alive, nor end with its thread group.
        Thread thread = new Thread(rootGroup(), work, "faultline-" + name, DEFAULT_STACK, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(null);
        thread.setUncaughtExceptionHandler(Unheard.INSTANCE);
        return thread;
    }

    /**
     * The work catches what it can. What escapes all the same must not reach the host's handler, which may well end the JVM. A class and no lambda, since the host's own thread makes the first of these threads while
     * it starts.
     */
    private enum Unheard implements Thread.UncaughtExceptionHandler {
        INSTANCE;

        @Override
        public void uncaughtException(Thread ended, Throwable ownFault) {}
    }

    private static ThreadGroup rootGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }
}
