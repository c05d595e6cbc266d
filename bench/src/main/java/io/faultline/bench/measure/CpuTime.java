package io.faultline.bench.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The processor's time that a thread was given, in user and kernel mode: what others do on the machine is not in it, other than by the caches and the clock that it shares with them. */
public final class CpuTime {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CpuTime() {}

    /** Work that is timed. */
    @FunctionalInterface
    public interface Work {

        /**
         * Does it.
         *
         * @throws Exception if it fails
         */
        void run() throws Exception;
    }

    /**
     * Times work of the calling thread.
     *
     * @param work what to do
     * @return nanoseconds
     * @throws Exception of the work
     */
    public static long of(Work work) throws Exception {
        long began = THREADS.getCurrentThreadCpuTime();
        work.run();
        return THREADS.getCurrentThreadCpuTime() - began;
    }
}
