package io.faultline.broker;

import java.lang.reflect.Proxy;

/**
 * The signals that ask a process to end. Left alone, the JVM answers them with exit code 143 or 130, whatever it was doing.
 */
final class Termination {

    private Termination() {}

    /**
     * Calls back, on a thread of the JVM's, when the process is asked to end. Where the JVM cannot do that, its own way of
     * ending stays in place.
     */
    static void onSignal(Runnable callback) {
        try {
            // sun.misc.Signal is in every JDK's jdk.unsupported, but naming it here would be a warning on each build.
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(
                    Termination.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            callback.run();
                            return null;
                        }
                        return switch (method.getName()) {
                            case "equals" -> self == arguments[0];
                            case "hashCode" -> System.identityHashCode(self);
                            default -> handler.getName();
                        };
                    });
            for (String name : new String[] {"TERM", "INT"}) {
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
            }
        } catch (ReflectiveOperationException | RuntimeException ignored) {
            // The JVM ends the process by itself then, without an orderly stop; recovery cuts what was torn.
        }
    }
}
