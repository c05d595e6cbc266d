package io.faultline.bench.kafka;

import java.lang.reflect.Method;

/** Several brokers in one JVM, which nobody does but test kits: the main class of a process that the experiments start. */
public final class SeveralKafkas {

    private SeveralKafkas() {}

    /**
     * Runs a broker for each configuration.
     *
     * @param configurations their files
     * @throws ReflectiveOperationException if this is no Kafka
     */
    public static void main(String[] configurations) throws ReflectiveOperationException {
        Method kafka = Class.forName("kafka.Kafka").getMethod("main", String[].class);
        for (String configuration : configurations) {
            new Thread(() -> run(kafka, configuration), "main of " + configuration).start();
        }
    }

    private static void run(Method kafka, String configuration) {
        try {
            kafka.invoke(null, (Object) new String[] {configuration});
        } catch (ReflectiveOperationException failed) {
            failed.printStackTrace();
        }
    }
}
