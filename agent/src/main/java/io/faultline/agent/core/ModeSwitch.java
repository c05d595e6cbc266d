package io.faultline.agent.core;

import io.faultline.agent.weave.Weaver;
import java.util.concurrent.atomic.AtomicReference;

/** Changes the mode, by whatever way it is asked for, and keeps what is woven in step with it. Safe for use from several threads. */
final class ModeSwitch {

    private final AtomicReference<Mode> inForce;
    private final Configuration configuration;
    private final Weaver weaver;
    private final SelfChecks selfChecks;
    private final AgentLog log;
    private final Audit audit;
    private boolean ended;

    /**
     * Makes a switch that has changed nothing yet.
     *
     * @param inForce holds the mode; changed by this object only
     */
    ModeSwitch(
            AtomicReference<Mode> inForce,
            Configuration configuration,
            Weaver weaver,
            SelfChecks selfChecks,
            AgentLog log,
            Audit audit) {
        this.inForce = inForce;
        this.configuration = configuration;
        this.weaver = weaver;
        this.selfChecks = selfChecks;
        this.log = log;
        this.audit = audit;
    }

    /** Enters the first mode. Nothing is checked or said yet. */
    synchronized void begin(Mode first) {
        weave(first);
        inForce.set(first);
    }

    /** Checks whether that took, unless nothing is woven any more. The mode does not change meanwhile: a check during which the weaving is undone would find fault with it. */
    synchronized void checkFirst() {
        Mode now = inForce.get();
        if (now != Mode.OFF) {
            selfChecks.pass(now);
        }
    }

    /**
     * Does what somebody asks for.
     *
     * @param spelled the mode that is wanted
     * @param source who asks
     * @return an answer of one line that begins with ok or error
     */
    String command(String spelled, Source source) {
        Mode wanted = Mode.of(spelled);
        if (wanted == null) {
            String why = "mode is " + spelled + "; accepted: act, observe, off";
            audit.refusal("mode " + spelled, source, why);
            return "error " + why;
        }
        return command(wanted, source);
    }

    private synchronized String command(Mode wanted, Source source) {
        if (!ended) {
            configuration.command(Key.MODE, wanted.spelled(), source);
        }
        return enter(wanted, source);
    }

    /**
     * Enters a mode that the configuration has already.
     *
     * @param wanted the mode
     * @param source where it is from
     * @return an answer of one line that begins with ok or error
     */
    synchronized String enter(Mode wanted, Source source) {
        if (ended) {
            return "error detached";
        }
        Mode before = inForce.get();
        weave(wanted);
        inForce.set(wanted);
        if (before != wanted) {
            log.line("mode " + before.spelled() + " -> " + wanted.spelled() + ", by " + source.spelled());
            // The modes that were in force: with an error in the options that is not what they say.
            audit.change(new Change(Key.MODE, before.spelled(), wanted.spelled(), source, true));
        }
        if (before == Mode.OFF && wanted != Mode.OFF && !selfChecks.pass(wanted)) {
            return "error mode " + wanted.spelled() + ", but the self-check failed; see the log";
        }
        return "ok mode " + wanted.spelled();
    }

    private void weave(Mode wanted) {
        if (wanted == Mode.OFF) {
            weaver.unweave();
        } else {
            weaver.weave();
        }
    }

    /** Takes everything out and changes nothing any more. */
    synchronized void end() {
        ended = true;
        weaver.unweave();
        inForce.set(Mode.OFF);
    }
}
