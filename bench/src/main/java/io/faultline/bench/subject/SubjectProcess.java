package io.faultline.bench.subject;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A client under test, seen from outside. */
public final class SubjectProcess implements AutoCloseable {

    private static final long LOOK_AGAIN_MILLIS = 20;

    /**
     * What it is to do.
     *
     * @param kind which client
     * @param bootstrap where to connect
     * @param topic the topic that it produces to and consumes
     * @param partitions of that topic
     * @param group the group of its members
     * @param members how many, beside the consumer with assigned partitions
     * @param sender the number of its producer
     * @param rate records per second
     * @param timeouts of its clients
     * @param spool where its producer has its spool, or null for none
     */
    public record Task(
            ClientKind kind,
            String bootstrap,
            String topic,
            int partitions,
            String group,
            int members,
            int sender,
            double rate,
            Timeouts timeouts,
            Path spool) {}

    private final JvmProcess process;
    private final Ledger ledger;

    private SubjectProcess(JvmProcess process, Ledger ledger) {
        this.process = process;
        this.ledger = ledger;
    }

    /**
     * Starts it, and returns at once.
     *
     * @param layout where the jars are
     * @param task what it is to do
     * @return the running process
     * @throws IOException if it does not start
     */
    public static SubjectProcess start(Layout layout, Task task) throws IOException {
        Ledger ledger = new Ledger(task.sender());
        List<String> command = new ArrayList<>(List.of(
                layout.java().toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                layout.bench().toString(),
                SubjectMain.class.getName()));
        command.addAll(List.of("--client", task.kind().name(), "--bootstrap", task.bootstrap()));
        command.addAll(List.of("--topic", task.topic(), "--partitions", Integer.toString(task.partitions())));
        command.addAll(List.of("--group", task.group(), "--members", Integer.toString(task.members())));
        command.addAll(List.of("--sender", Integer.toString(task.sender()), "--rate", Double.toString(task.rate())));
        command.addAll(List.of("--scale", Double.toString(task.timeouts().scale())));
        if (task.spool() != null) {
            command.addAll(List.of("--spool", task.spool().toString()));
        }
        JvmProcess process = JvmProcess.start("the client under test", new ProcessBuilder(command), null, ledger::take);
        return new SubjectProcess(process, ledger);
    }

    /**
     * What it said so far.
     *
     * @return the ledger, which grows
     */
    public Ledger ledger() {
        return ledger;
    }

    /**
     * Waits until its ledger says something.
     *
     * @param patience how long to wait
     * @param condition what to look for
     * @return whether it came
     * @throws IOException if the process has ended without it
     * @throws InterruptedException if interrupted meanwhile
     */
    public boolean await(Duration patience, Predicate<Ledger> condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.test(ledger)) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            if (!process.isAlive() && ledger.end() == null) {
                throw new IOException("the client under test has ended:\n" + process.tail());
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
        }
        return true;
    }

    /**
     * Gives it a command.
     *
     * @param command as {@link SubjectMain} knows them
     * @throws IOException if it does not read any more
     */
    public void tell(String command) throws IOException {
        process.tell(command);
    }

    /**
     * Stops it in the middle of whatever it does.
     *
     * @throws IOException if it cannot be stopped
     * @throws InterruptedException if interrupted meanwhile
     */
    public void freeze() throws IOException, InterruptedException {
        process.freeze();
    }

    /**
     * Lets it go on.
     *
     * @throws IOException if it cannot be told to
     * @throws InterruptedException if interrupted meanwhile
     */
    public void thaw() throws IOException, InterruptedException {
        process.thaw();
    }

    /**
     * Closes its clients and waits until it has ended.
     *
     * @param timeout what each close is given
     * @param patience how long to wait for all
     * @return whether it ended by itself
     * @throws IOException if it does not read any more
     * @throws InterruptedException if interrupted meanwhile
     */
    public boolean finish(Duration timeout, Duration patience) throws IOException, InterruptedException {
        tell("close " + timeout.toMillis());
        long deadline = System.nanoTime() + patience.toNanos();
        while (ledger.end() == null && process.isAlive() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
        }
        return ledger.end() != null;
    }

    /**
     * What it printed beside its events.
     *
     * @return the last lines
     */
    public String tail() {
        return process.tail();
    }

    /** Ends it at once: what it has to say was said before. */
    @Override
    public void close() {
        try {
            process.kill();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
