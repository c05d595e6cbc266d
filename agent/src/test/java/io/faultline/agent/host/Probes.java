package io.faultline.agent.host;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;

/** Looks at the process from within. */
final class Probes {

    private Probes() {}

    /** Which of the classes some loader of the application finds. */
    static String visible(List<String> names) {
        List<String> found = new ArrayList<>();
        for (String name : names) {
            for (ClassLoader loader : new ClassLoader[] {Host.class.getClassLoader(), null}) {
                try {
                    found.add(name + " in " + Class.forName(name, false, loader).getClassLoader());
                } catch (ClassNotFoundException | LinkageError invisible) {
                    // as it should be
                }
            }
        }
        return Host.listed(found);
    }

    /** The jar that the application gets a class from. */
    static String origin(String name) throws ReflectiveOperationException {
        return Class.forName(name, false, Host.class.getClassLoader())
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
    }

    /** Tries to reach a private field. */
    static String reach(String className, String field) throws ReflectiveOperationException {
        Field reached = Class.forName(className).getDeclaredField(field);
        return String.valueOf(reached.trySetAccessible());
    }

    static String threads() {
        return Host.listed(new TreeSet<>(Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("faultline-") || name.contains("event-loop"))
                .collect(Collectors.toSet())));
    }

    /** The MBeans of a domain with their attributes; makes the platform's MBean server. */
    static String mbeans(String domain) throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        List<String> found = new ArrayList<>();
        for (ObjectName name : server.queryNames(new ObjectName(domain + ":*"), null)) {
            for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
                found.add(name.getCanonicalName() + "#" + attribute.getName() + "="
                        + server.getAttribute(name, attribute.getName()));
            }
        }
        return Host.listed(found);
    }

    /** The agent's mode over JMX, set before it is read if one is given. */
    static String mode(List<String> wanted) throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName control = new ObjectName("kafka.faultline:type=Faultline,name=Control");
        if (!server.isRegistered(control)) {
            return "not there";
        }
        for (String mode : wanted) {
            server.setAttribute(control, new Attribute("Mode", mode));
        }
        return (String) server.getAttribute(control, "Mode");
    }

    static String mbeanServers() {
        return Integer.toString(MBeanServerFactory.findMBeanServer(null).size());
    }

    /** Bytes of the heap that are in use, the agent's among them. */
    static String usedMemory() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return Long.toString(runtime.totalMemory() - runtime.freeMemory());
    }

    static String collectGarbage() {
        System.gc();
        return "";
    }
}
