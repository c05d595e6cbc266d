package io.faultline.bench.host;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A JVM as a process of its own, whose output is read as it comes. It ends with this JVM at the latest. */
public final class JvmProcess implements AutoCloseable {

    private static final Duration PATIENCE_AT_END = Duration.ofSeconds(60);
    private static final Duration PATIENCE_WHEN_INTERRUPTED = Duration.ofSeconds(2);

    private final String name;
    private final Process process;
    private final Thread reader;
    private final List<String> log = new ArrayList<>();
    private final AutoCloseable atExit = () -> end(PATIENCE_WHEN_INTERRUPTED);
    private boolean complete;

    private JvmProcess(String name, Process process, Path copy, Predicate<String> taker) {
        this.name = name;
        this.process = process;
        this.reader = new Thread(() -> read(copy, taker), name + "-output");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a process.
     *
     * @param name what it is called in messages
     * @param builder the command
     * @param copy a file to which its output is appended, or null
     * @return the running process
     * @throws IOException if it cannot be started
     */
    public static JvmProcess start(String name, ProcessBuilder builder, Path copy) throws IOException {
        return start(name, builder, copy, line -> false);
    }

    /**
     * Starts a process some of whose output is for a program.
     *
     * @param name what it is called in messages
     * @param builder the command
     * @param copy a file to which its output is appended, or null
     * @param taker is given each line as it comes, on one thread; a line that it takes is not kept in the log
     * @return the running process
     * @throws IOException if it cannot be started
     */
    public static JvmProcess start(String name, ProcessBuilder builder, Path copy, Predicate<String> taker)
            throws IOException {
        JvmProcess process =
                new JvmProcess(name, builder.redirectErrorStream(true).start(), copy, taker);
        AtExit.close(process.atExit);
        return process;
    }

    /**
     * The process's id.
     *
     * @return the pid
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Says whether it runs.
     *
     * @return true until it has ended
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * What it has printed so far.
     *
     * @return a copy
     */
    public List<String> log() {
        synchronized (log) {
            return List.copyOf(log);
        }
    }

    /**
     * Waits for a line.
     *
     * @param text what the line contains
     * @param patience how long to wait
     * @return the first such line
     * @throws IOException if it does not come, or the process ends before
     * @throws InterruptedException if interrupted while waiting
     */
    public String awaitLine(String text, Duration patience) throws IOException, InterruptedException {
        return awaitLine("'" + text + "'", line -> line.contains(text), 0, patience);
    }

    /**
     * Waits for one of several lines.
     *
     * @param what what is waited for, for a message
     * @param wanted which lines
     * @param earlier how many of them come before
     * @param patience how long to wait
     * @return the line
     * @throws IOException if it does not come, or the process ends before
     * @throws InterruptedException if interrupted while waiting
     */
    public String awaitLine(String what, Predicate<String> wanted, int earlier, Duration patience)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        synchronized (log) {
            int seen = 0;
            int left = earlier;
            while (true) {
                for (; seen < log.size(); seen++) {
                    if (wanted.test(log.get(seen)) && left-- == 0) {
                        return log.get(seen);
                    }
                }
                long nanos = deadline - System.nanoTime();
                if (nanos <= 0 || complete) {
                    throw new IOException("no " + what + " in what " + name + " printed:\n" + tail());
                }
                TimeUnit.NANOSECONDS.timedWait(log, nanos);
            }
        }
    }

    /**
     * Gives it a line to read.
     *
     * @param line the line, without its end
     * @throws IOException if it has ended
     */
    public synchronized void tell(String line) throws IOException {
        OutputStream input = process.getOutputStream();
        input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    /**
     * Waits until it ends by itself.
     *
     * @param patience how long to wait
     * @return its exit status
     * @throws IOException if it still runs then
     * @throws InterruptedException if interrupted while waiting
     */
    public int awaitExit(Duration patience) throws IOException, InterruptedException {
        if (!process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IOException(name + " still runs after " + patience + "; it printed:\n" + tail());
        }
        reader.join(PATIENCE_AT_END.toMillis());
        return process.exitValue();
    }

    /**
     * The last lines that it printed.
     *
     * @return some lines, for a message
     */
    public String tail() {
        synchronized (log) {
            return String.join("\n", log.subList(Math.max(0, log.size() - 40), log.size()));
        }
    }

    /**
     * Stops it in the middle of whatever it does, as a machine that hangs.
     *
     * @throws IOException if it cannot be stopped
     * @throws InterruptedException if interrupted meanwhile
     */
    public void freeze() throws IOException, InterruptedException {
        signal("STOP");
    }

    /**
     * Lets it go on.
     *
     * @throws IOException if it cannot be told to
     * @throws InterruptedException if interrupted meanwhile
     */
    public void thaw() throws IOException, InterruptedException {
        signal("CONT");
    }

    /**
     * Ends it at once, as a crash would, and waits for that.
     *
     * @throws InterruptedException if interrupted meanwhile
     */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        AtExit.forget(atExit);
    }

    /** Asks it to end in an orderly way, and does not wait for that. What it prints meanwhile is still read. */
    public void askToEnd() {
        process.toHandle()
                .destroy(); // that of the process itself closes its streams, too, and whoever prints then may die of it
    }

    /**
     * Ends it in an orderly way, or, after a while, at once.
     *
     * @param patience how long that while is
     */
    public void end(Duration patience) {
        process.destroy();
        try {
            if (!process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly().waitFor();
            }
            reader.join(PATIENCE_AT_END.toMillis());
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        AtExit.forget(atExit);
    }

    /** Ends it in an orderly way, or, after a minute, at once. */
    @Override
    public void close() {
        end(PATIENCE_AT_END);
    }

    private void signal(String signal) throws IOException, InterruptedException {
        if (new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                        .inheritIO()
                        .start()
                        .waitFor()
                != 0) {
            throw new IOException("kill -" + signal + " failed for " + name);
        }
    }

    private void read(Path copy, Predicate<String> taker) {
        try (BufferedReader lines =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                Writer file = copy == null ? Writer.nullWriter() : Files.newBufferedWriter(copy)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                file.write(line + "\n");
                if (taker.test(line)) {
                    continue;
                }
                synchronized (log) {
                    log.add(line);
                    log.notifyAll();
                }
            }
        } catch (IOException ended) { // with the process
        }
        synchronized (log) {
            complete = true;
            log.notifyAll();
        }
    }
}
