package io.faultline.agent.host;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A host process: reads requests, a line each with its words separated by tabs, and answers each with a line that begins with "=", or with "!" where
 * the request threw. What it prints besides is for whoever cares. It ends when its input does.
 *
 * <p>What needs a library beyond the JDK is in classes that are loaded with the first request for them.
 */
public final class Host {

    private final Transfers transfers = new Transfers();
    private Verdicts verdicts;
    private TlsTransfers tls;

    private Host() {}

    /**
     * Serves until the input ends.
     *
     * @param arguments none
     * @throws IOException if the input cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        Host host = new Host();
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = "=" + host.answer(line.split("\t"));
            } catch (Throwable thrown) { // it is the test's to judge
                answer = "!" + thrown;
            }
            out.println(answer.replace('\n', ' '));
        }
    }

    private String answer(String[] words) throws Throwable {
        List<String> rest = Arrays.asList(words).subList(1, words.length);
        return switch (words[0]) {
            case "send", "reset", "send-and-close", "reset-and-close", "append" ->
                transfers.answer(words[0], words[1], number(words, 2), number(words, 3));
            case "burst" -> transfers.burst((int) number(words, 1), rest.subList(1, rest.size()));
            case "storm" -> transfers.storm((int) number(words, 1), words[2]);
            case "used-memory" -> Probes.usedMemory();
            case "close" -> transfers.close(words[1]);
            case "open-files" -> transfers.openFiles();
            case "reopen" -> transfers.reopen(words[1]);
            case "subscribe" -> verdicts().subscribe();
            case "subscribe-throwing" -> verdicts().subscribeThrowing();
            case "own" -> verdicts().own(rest);
            case "offline" -> verdicts().offline();
            case "verdicts" -> verdicts().count();
            case "verdict" -> verdicts().describe((int) number(words, 1), transfers);
            case "tls-connect" -> tls().connect(words[1], words[2]);
            case "tls-file" -> tls().file(words[1]);
            case "tls-script" -> tls().script((int) number(words, 1), rest.subList(1, rest.size()));
            case "tls-transfer" -> tls().transfer(number(words, 1), number(words, 2));
            case "tls-received" -> tls().received(number(words, 1));
            case "load" -> load(words[1]);
            case "origin" -> Probes.origin(words[1]);
            case "visible" -> Probes.visible(rest);
            case "reach" -> Probes.reach(words[1], words[2]);
            case "threads" -> Probes.threads();
            case "mbeans" -> Probes.mbeans(words[1]);
            case "jmx-mode" -> Probes.mode(rest);
            case "mbean-servers" -> Probes.mbeanServers();
            case "strip" -> ByteCapture.keepStripping(words[1]);
            case "gc" -> Probes.collectGarbage();
            case "jfr" -> rest.isEmpty() ? Recordings.start() : Recordings.start(words[1]);
            case "jfr-knows" -> Recordings.knows(words[1]);
            case "jfr-stop" -> Recordings.stop();
            case "jfr-events" -> Recordings.events(words[1]);
            case "jfr-initialised" -> Recordings.isInitialised();
            case "slf4j" -> HostLogging.log(words[1]);
            case "child-first" -> Copies.childFirst(rest);
            case "layer" -> Copies.layer(rest);
            case "copy-verdicts" -> Copies.received(words[1]);
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    /** Loads a class and says where it came from. */
    private static String load(String name) throws ClassNotFoundException {
        return String.valueOf(Class.forName(name).getModule());
    }

    private Verdicts verdicts() {
        if (verdicts == null) {
            verdicts = new Verdicts();
        }
        return verdicts;
    }

    private TlsTransfers tls() {
        if (tls == null) {
            tls = new TlsTransfers();
        }
        return tls;
    }

    private static long number(String[] words, int index) {
        return index < words.length ? Long.parseLong(words[index]) : 0;
    }

    static String listed(Collection<?> items) {
        return items.stream().map(String::valueOf).collect(Collectors.joining("\t"));
    }

    static String failure(Throwable thrown) {
        return thrown == null ? "" : thrown.getClass().getName() + ": " + thrown.getMessage();
    }

    /** Whether a channel is the one that the host uses for a file now. */
    static String openState(String name, FileChannel channel) {
        return name + " " + (channel.isOpen() ? "open" : "closed");
    }
}
