package io.faultline.agent.core;

import io.faultline.agent.jfr.FlightEvents;
import io.faultline.classifier.FailedTransfer;
import io.faultline.classifier.FailureClassifier;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.function.Consumer;

/**
 * Takes what the hook hands over, on the host's thread, and puts it into the classifier's queue. No I/O, no lock, no wake-up.
 */
final class FailureSink implements Consumer<Object[]> {

    private final FailureClassifier classifier;
    private final Field path;
    private final HintedFailures counts;
    private final FlightEvents events;
    private final String version;
    private volatile SelfCheck selfCheck;

    FailureSink(FailureClassifier classifier, Field path, HintedFailures counts, FlightEvents events, String version) {
        this.classifier = classifier;
        this.path = path;
        this.counts = counts;
        this.events = events;
        this.version = version;
    }

    /** Sends the failures of one file to a self-check, not to the classifier. */
    void divert(SelfCheck check) {
        selfCheck = check;
    }

    @Override
    public void accept(Object[] failure) {
        FileChannel channel = (FileChannel) failure[1];
        long position = (Long) failure[2];
        long count = (Long) failure[3];
        Throwable thrown = (Throwable) failure[5];
        WritableByteChannel target = (WritableByteChannel) failure[4];
        SelfCheck check = selfCheck;
        boolean own = check != null && check.owns(channel);
        String transport = transport((String) failure[0], target);
        String name = nameOf(channel);
        if (!own) {
            counts.count(transport, thrown);
            events.failed(transport, name, position, count, thrown);
        }
        FailedTransfer transfer = switch (transport) {
            case "tls" -> FailedTransfer.ofRead(channel, name, position, count, thrown);
            case "plain" -> FailedTransfer.ofPlainRead(channel, name, position, count, thrown);
            default -> FailedTransfer.ofTransfer(channel, name, position, count, target, thrown);
        };
        if (own) {
            check.take(transfer);
        } else {
            classifier.submit(transfer);
        }
    }

    private static String transport(String what, WritableByteChannel target) {
        return switch (what) {
            case "transfer" -> target instanceof SocketChannel ? "socket" : "other";
            case "read" -> "tls";
            default -> "plain";
        };
    }

    /** The name that a file was opened by, or null. */
    String nameOf(FileChannel channel) {
        try {
            return path.getDeclaringClass().isInstance(channel) ? (String) path.get(channel) : null;
        } catch (IllegalAccessException sealed) {
            return null;
        }
    }

    /** What another agent's attempt to attach prints. */
    @Override
    public String toString() {
        return version;
    }
}
