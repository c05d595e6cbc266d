package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.subject.Ledger;
import io.faultline.bench.subject.SubjectProcess;
import io.faultline.bench.subject.SubjectProcess.Task;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Members of the group that come and go while things happen: each in a process of its own, which produces nothing. */
final class Companions implements AutoCloseable {

    private final Layout layout;
    private final Task task;
    private final Deque<SubjectProcess> running = new ArrayDeque<>();
    private final List<Ledger> ledgers = new ArrayList<>();
    private int number;

    /**
     * Makes none yet.
     *
     * @param task what the client under test does
     */
    Companions(Layout layout, Task task) {
        this.layout = layout;
        this.task = task;
    }

    /** Lets another one join. */
    synchronized void join() throws IOException {
        number++;
        SubjectProcess companion = SubjectProcess.start(
                layout,
                new Task(
                        task.kind(),
                        task.bootstrap(),
                        task.topic(),
                        task.partitions(),
                        task.group(),
                        1,
                        ProbeMain.SENDER + number,
                        0,
                        task.timeouts(),
                        null));
        running.add(companion);
        ledgers.add(companion.ledger());
    }

    synchronized int count() {
        return running.size();
    }

    /** Lets the oldest one leave in an orderly way, as far as that goes; returns at once. */
    synchronized void leave() throws IOException {
        running.remove().tell("close " + task.timeouts().close().toMillis());
    }

    /** Kills the oldest one. */
    synchronized void kill() {
        running.remove().close();
    }

    /** What all that ever were have said. */
    synchronized List<Ledger> ledgers() {
        return List.copyOf(ledgers);
    }

    @Override
    public synchronized void close() {
        running.forEach(SubjectProcess::close);
        running.clear();
    }
}
