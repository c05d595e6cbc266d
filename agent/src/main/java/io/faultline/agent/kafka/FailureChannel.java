package io.faultline.agent.kafka;

import io.faultline.classifier.Classification;
import io.faultline.classifier.OwnerAction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;

/**
 * Kafka's {@code LogDirFailureChannel}, in every place and shape that it has had: {@code kafka.server}, in Scala, with a {@code Function0} for a message (3.4 and older), and
 * {@code org.apache.kafka.storage.internals.log}, in Java (3.5 and newer).
 */
final class FailureChannel {

    private final Object channel;
    private final Method add;
    private final Map<?, ?> offline;

    FailureChannel(Object channel) throws ReflectiveOperationException {
        this.channel = channel;
        this.add = Reflected.method(channel.getClass(), "maybeAddOfflineLogDir", 3);
        this.offline = (Map<?, ?>) Reflected.field(channel, "offlineLogDirs");
    }

    boolean isOffline(String directory) {
        return offline.containsKey(directory);
    }

    /**
     * Reports a directory, as Kafka itself does on an I/O error of its own.
     *
     * @return {@link OwnerAction#ERROR} if Kafka refuses
     */
    OwnerAction report(String directory, Classification why) {
        String text = "Faultline: " + why;
        Class<?> ofMessage = add.getParameterTypes()[1];
        Object message = ofMessage == String.class ? text : function(ofMessage, text);
        try {
            add.invoke(channel, directory, message, why.asException());
            return OwnerAction.FED;
        } catch (ReflectiveOperationException refused) {
            return OwnerAction.ERROR;
        }
    }

    /** A {@code scala.Function0} that returns the message. */
    private static Object function(Class<?> type, String message) {
        InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
            case "apply", "toString" -> message;
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            default -> throw new UnsupportedOperationException(method.getName());
        };
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }
}
