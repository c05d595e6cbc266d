package io.faultline.agent.metrics;

/** What can be asked and changed over JMX, at {@code kafka.faultline:type=Faultline,name=Control}. Only JDK types cross it. */
public interface AgentControlMBean {

    /**
     * The mode in force.
     *
     * @return act, observe or off
     */
    String getMode();

    /**
     * Changes the mode, at once.
     *
     * @param mode act, observe or off
     * @throws IllegalArgumentException if it is another, or the change failed
     */
    void setMode(String mode);

    /**
     * The release.
     *
     * @return the version
     */
    String getVersion();

    /**
     * What is in force and what was counted, a line each.
     *
     * @return what {@code faultline-agent.jar status} prints
     */
    String status();
}
