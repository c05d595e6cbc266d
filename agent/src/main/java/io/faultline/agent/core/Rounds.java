package io.faultline.agent.core;

import io.faultline.classifier.FaultlineThreads;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Does chores over and over again, on a thread of its own. One that fails is counted and tried again in the next round, and holds up no other. */
final class Rounds {

    private final long pauseNanos;
    private final List<Chore> chores;
    private final OwnErrors errors;
    private final Thread thread;
    private volatile boolean ended;

    /**
     * A thing to do.
     *
     * @param part whose fault it is if it fails
     * @param rounds in how many rounds it is done, counted from the first
     * @param work what to do
     */
    record Chore(Part part, long rounds, Work work) {

        /** Something that may fail. */
        interface Work {
            void run() throws Exception;
        }

        /** A thing to do in every round. */
        static Chore always(Part part, Work work) {
            return new Chore(part, Long.MAX_VALUE, work);
        }
    }

    private Rounds(String name, long pauseNanos, List<Chore> chores, OwnErrors errors) {
        this.pauseNanos = pauseNanos;
        this.chores = List.copyOf(chores);
        this.errors = errors;
        this.thread = FaultlineThreads.unstarted(name, this::go);
    }

    /**
     * Starts the thread; the first round comes after the first pause.
     *
     * @param name the thread's
     * @param pauseNanos between rounds
     * @param chores in their order
     * @param errors where a chore that fails is counted
     */
    static Rounds start(String name, long pauseNanos, List<Chore> chores, OwnErrors errors) {
        Rounds rounds = new Rounds(name, pauseNanos, chores, errors);
        rounds.thread.start();
        return rounds;
    }

    private void go() {
        for (long round = 0; !ended; round++) {
            LockSupport.parkNanos(this, pauseNanos);
            for (Chore chore : chores) {
                if (!ended && round < chore.rounds) {
                    attempt(chore);
                }
            }
        }
    }

    private void attempt(Chore chore) {
        try {
            chore.work.run();
        } catch (Throwable failed) { // even no memory: the next round may find some
            errors.count(chore.part);
        }
    }

    /** Begins no further chore. Does not wait for the one that is being done. */
    void end() {
        ended = true;
    }

    /** Says whether a chore may still be done. */
    boolean isBusy() {
        return thread.isAlive();
    }
}
