package io.faultline.bench.transfer;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The processor's time that a thread was given, in user and kernel mode: what others do on the machine is not in it, other than by the caches and the clock that it shares with them. */
final class CpuTime {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CpuTime() {}

    /** Work that is timed. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /** Of the calling thread, in nanoseconds. */
    static long of(Work work) throws Exception {
        long began = THREADS.getCurrentThreadCpuTime();
        work.run();
        return THREADS.getCurrentThreadCpuTime() - began;
    }
}
