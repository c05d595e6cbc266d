package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.subject.Ledger;
import io.faultline.bench.subject.SubjectProcess;
import io.faultline.bench.subject.SubjectProcess.Task;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Members of the group that come and go while things happen: each in a process of its own, which produces nothing. */
final class Companions implements AutoCloseable {

    private final Layout layout;
    private final Task task;
    /** By the number that each sends under, the oldest first. */
    private final Map<Integer, SubjectProcess> running = new LinkedHashMap<>();

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
        running.put(ProbeMain.SENDER + number, companion);
        ledgers.add(companion.ledger());
    }

    synchronized int count() {
        return running.size();
    }

    /** Lets the oldest one leave in an orderly way, as far as that goes; returns at once. */
    synchronized void leave() throws IOException {
        removeOldest().tell("close " + task.timeouts().close().toMillis());
    }

    /** Kills the oldest one. */
    synchronized void kill() {
        removeOldest().close();
    }

    private SubjectProcess removeOldest() {
        return running.remove(running.keySet().iterator().next());
    }

    /** The numbers of those that are there. */
    synchronized Set<Integer> senders() {
        return Set.copyOf(running.keySet());
    }

    /** What all that ever were have said. */
    synchronized List<Ledger> ledgers() {
        return List.copyOf(ledgers);
    }

    @Override
    public synchronized void close() {
        running.values().forEach(SubjectProcess::close);
        running.clear();
    }
}
