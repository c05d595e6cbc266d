package io.faultline.agent.weave;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * Tells whether the host uses JMX without touching it: the class of the MBean server has been loaded. Changes no class, and is there whether anything is woven or not.
 */
public final class JmxWatch implements ClassFileTransformer {

    private static final String MBEAN_SERVER = "com.sun.jmx.mbeanserver.JmxMBeanServer";
    private static final String INTERNAL = MBEAN_SERVER.replace('.', '/');

    private final Instrumentation instrumentation;
    private volatile boolean hostUsesJmx;

    /**
     * Begins to watch.
     *
     * @param instrumentation the JVM's
     */
    public JmxWatch(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
        instrumentation.addTransformer(this);
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().equals(MBEAN_SERVER)) {
                hostUsesJmx = true;
                end();
            }
        }
    }

    @Override
    public byte[] transform(
            Module module, ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (INTERNAL.equals(name)) {
            hostUsesJmx = true;
        }
        return null;
    }

    /**
     * Says whether an MBean server may be there.
     *
     * @return true if its class has been loaded
     */
    public boolean hostUsesJmx() {
        return hostUsesJmx;
    }

    /** Watches no longer. */
    public void end() {
        instrumentation.removeTransformer(this);
    }
}
