package io.faultline.agent.jfr;

import io.faultline.classifier.CheckObserver;
import io.faultline.classifier.Classification;
import io.faultline.classifier.Region;
import java.util.Locale;
import jdk.jfr.FlightRecorder;

/** Writes events once a flight recorder is there. Before that each call is one look at a field. Safe for use from several threads. */
public final class FlightEvents implements CheckObserver {

    private volatile boolean armed;
    private boolean absent;

    /** Makes one that writes nothing yet. */
    public FlightEvents() {}

    /** Looks whether the host has started its recorder; called every second or so, on a thread of the agent's own. It loads what events need, so that no network thread has to. */
    public synchronized void tend() {
        if (armed || absent) {
            return;
        }
        try {
            if (FlightRecorder.isInitialized()) {
                FlightRecorder.register(FailedTransferEvent.class);
                FlightRecorder.register(CheckEvent.class);
                FlightRecorder.register(VerdictEvent.class);
                FlightRecorder.register(DirectoryOfflineEvent.class);
                armed = true;
            }
        } catch (NoClassDefFoundError noSuchModule) { // a JDK without jdk.jfr
            absent = true;
        }
    }

    /** Writes nothing any more, and lets the recorder forget the events, whose classes it would keep. What was recorded stays. */
    public synchronized void end() {
        absent = true;
        if (armed) {
            armed = false;
            FlightRecorder.unregister(FailedTransferEvent.class);
            FlightRecorder.unregister(CheckEvent.class);
            FlightRecorder.unregister(VerdictEvent.class);
            FlightRecorder.unregister(DirectoryOfflineEvent.class);
        }
    }

    /**
     * Writes that a transfer failed. Called on the host's thread, whose stack shows what it was for.
     *
     * @param transport socket, tls, other or plain
     * @param file the name that the file was opened by, or null
     * @param position the transfer's position
     * @param count the transfer's count
     * @param failure what was thrown
     */
    public void failed(String transport, String file, long position, long count, Throwable failure) {
        if (armed) {
            FailedTransferEvent event = new FailedTransferEvent();
            if (event.shouldCommit()) {
                event.transport = transport;
                event.file = file;
                event.position = position;
                event.count = count;
                event.failure = String.valueOf(failure);
                event.commit();
            }
        }
    }

    @Override
    public End begun(String directory, String file, Region region) {
        if (!armed) {
            return null;
        }
        CheckEvent event = new CheckEvent();
        event.begin();
        return (outcome, position, failure) -> {
            event.end();
            if (event.shouldCommit()) {
                event.directory = directory;
                event.file = file;
                event.position = region.position();
                event.count = region.count();
                event.outcome = outcome;
                event.endedAt = position;
                event.failure = failure == null ? null : failure.toString();
                event.commit();
            }
        };
    }

    /**
     * Writes a verdict.
     *
     * @param verdict the verdict
     * @param because the option by which it was not acted upon, or ""
     */
    public void verdict(Classification verdict, String because) {
        if (!armed) {
            return;
        }
        VerdictEvent event = new VerdictEvent();
        if (event.shouldCommit()) {
            event.verdict = spelled(verdict.verdict());
            event.reason = spelled(verdict.reason());
            event.action = spelled(verdict.action());
            event.because = because;
            event.directory = verdict.directory();
            event.owner = verdict.owner();
            event.file = verdict.file();
            event.position = verdict.region().position();
            event.count = verdict.region().count();
            event.unreadableAt = verdict.unreadablePosition();
            event.device = verdict.mount().device();
            event.waited = verdict.waited().toNanos();
            event.took = verdict.took().toNanos();
            Throwable failure = verdict.readFailure() != null ? verdict.readFailure() : verdict.transferFailure();
            event.failure = String.valueOf(failure);
            event.commit();
        }
    }

    /**
     * Writes that a directory went offline.
     *
     * @param directory the directory
     * @param owner its owner
     * @param by faultline or owner
     */
    public void offline(String directory, String owner, String by) {
        if (armed) {
            DirectoryOfflineEvent event = new DirectoryOfflineEvent();
            event.directory = directory;
            event.owner = owner;
            event.by = by;
            event.commit();
        }
    }

    private static String spelled(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
