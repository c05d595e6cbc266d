package io.faultline.bench.host;

import io.faultline.bench.Layout;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The agent in the JVM of an experiment: attached from outside as an operator attaches it, then switched from within over JMX, which is quick. In mode {@code off} nothing is woven and the JDK's classes have their
 * own bytes back: that is a JVM without an agent. For one thread at a time.
 */
public final class AgentInThisJvm implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int POLL_MILLIS = 20;
    private static final String OFF = "off";
    private static final String OBSERVE = "observe";

    private final MBeanServer beans;
    private final ObjectName control;
    private final AttachedAgent agent;
    private boolean woven = true;

    private AgentInThisJvm(MBeanServer beans, ObjectName control, AttachedAgent agent) {
        this.beans = beans;
        this.control = control;
        this.agent = agent;
    }

    /**
     * Attaches the agent in mode {@code observe}.
     *
     * @param layout where it is
     * @param options its further options
     * @return the agent, attached until it is closed or the JVM ends
     * @throws IOException if it cannot be attached
     * @throws InterruptedException if interrupted meanwhile
     */
    public static AgentInThisJvm attach(Layout layout, String options) throws IOException, InterruptedException {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer(); // from then on the agent registers there
        ObjectName control;
        try {
            control = new ObjectName("kafka.faultline:type=Faultline,name=Control");
        } catch (JMException noName) {
            throw new IllegalStateException(noName);
        }
        AttachedAgent agent = new AttachedAgent(layout, ProcessHandle.current().pid());
        agent.run("attach", "mode=" + OBSERVE + "," + options);
        AgentInThisJvm attached = new AgentInThisJvm(beans, control, agent);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!beans.isRegistered(control)) {
            if (System.nanoTime() > deadline) {
                attached.close();
                throw new IOException("the agent does not register " + control);
            }
            Thread.sleep(POLL_MILLIS);
        }
        return attached;
    }

    /**
     * Gives the JDK's classes their own bytes back. Code that was compiled before is compiled anew, also if nothing was woven.
     *
     * @throws IOException if that fails
     */
    public void off() throws IOException {
        if (!woven) {
            mode(OBSERVE);
        }
        mode(OFF);
        woven = false;
    }

    /**
     * Weaves. Code that was compiled before is compiled anew, also if it was woven.
     *
     * @throws IOException if that fails
     */
    public void on() throws IOException {
        if (woven) {
            mode(OFF);
        }
        mode(OBSERVE);
        woven = true;
    }

    /**
     * The agent's status.
     *
     * @return its numbers
     * @throws IOException if it does not answer
     */
    public AgentCounts counts() throws IOException {
        try {
            return AgentCounts.of((String) beans.invoke(control, "status", null, null));
        } catch (JMException failed) {
            throw new IOException("the agent does not tell its status", failed);
        }
    }

    private void mode(String mode) throws IOException {
        try {
            beans.setAttribute(control, new Attribute("Mode", mode));
        } catch (JMException | RuntimeException failed) {
            throw new IOException("the agent does not enter mode " + mode, failed);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            agent.run("detach");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
