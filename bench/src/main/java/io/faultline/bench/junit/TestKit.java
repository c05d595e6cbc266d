package io.faultline.bench.junit;

/**
 * {@code KafkaClusterTestKit} with one node that is broker and controller. It is called by reflection, since its many jars are on the class path of the measured JVMs only.
 */
final class TestKit implements AutoCloseable {

    private static final String PACKAGE = "org.apache.kafka.common.test.";

    private final Object cluster;

    private TestKit(Object cluster) {
        this.cluster = cluster;
    }

    static TestKit start() throws ReflectiveOperationException {
        Class<?> nodesBuilder = Class.forName(PACKAGE + "TestKitNodes$Builder");
        Object nodes = nodesBuilder.getConstructor().newInstance();
        nodesBuilder.getMethod("setCombined", boolean.class).invoke(nodes, true);
        nodesBuilder.getMethod("setNumBrokerNodes", int.class).invoke(nodes, 1);
        nodesBuilder.getMethod("setNumControllerNodes", int.class).invoke(nodes, 1);
        Class<?> kitBuilder = Class.forName(PACKAGE + "KafkaClusterTestKit$Builder");
        Object builder = kitBuilder
                .getConstructor(Class.forName(PACKAGE + "TestKitNodes"))
                .newInstance(call(nodes, "build"));
        TestKit kit = new TestKit(call(builder, "build"));
        call(kit.cluster, "format");
        call(kit.cluster, "startup");
        call(kit.cluster, "waitForReadyBrokers");
        return kit;
    }

    String bootstrapServers() throws ReflectiveOperationException {
        return (String) call(cluster, "bootstrapServers");
    }

    @Override
    public void close() throws ReflectiveOperationException {
        call(cluster, "close");
    }

    private static Object call(Object target, String method) throws ReflectiveOperationException {
        return target.getClass().getMethod(method).invoke(target);
    }
}
