package io.faultline.agent.core;

import io.faultline.agent.metrics.AgentControlMBean;
import java.util.function.Supplier;

/** What can be asked and changed over JMX. */
final class JmxControl implements AgentControlMBean {

    private final String version;
    private final Supplier<Mode> mode;
    private final ModeSwitch modes;
    private final Supplier<String> status;

    JmxControl(String version, Supplier<Mode> mode, ModeSwitch modes, Supplier<String> status) {
        this.version = version;
        this.mode = mode;
        this.modes = modes;
        this.status = status;
    }

    @Override
    public String getMode() {
        return mode.get().spelled();
    }

    @Override
    public void setMode(String wanted) {
        String answer = modes.command(wanted, Source.JMX);
        if (answer.startsWith("error ")) {
            throw new IllegalArgumentException(answer.substring("error ".length()));
        }
    }

    @Override
    public String getVersion() {
        return version;
    }

    @Override
    public String status() {
        return status.get();
    }
}
