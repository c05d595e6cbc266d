package io.faultline.broker.junit;

import io.faultline.broker.EmbeddedBroker;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Runs a broker around tests: in a static field around the whole class, with its nested ones; in an instance field around each test.
 *
 * <pre>{@code
 * class OrdersTest {
 *
 *     @RegisterExtension
 *     final BrokerExtension kafka =
 *             new BrokerExtension(builder -> builder.temporaryDirectories(2).topic("orders", 2));
 *
 *     @Test
 *     void ordersOnTheHealthyDiskAreStillTaken(EmbeddedBroker broker) throws Exception {
 *         broker.failDirectory(broker.directoryOf("orders", 0));
 *         Map<String, Object> connection = Map.of("bootstrap.servers", broker.bootstrapServers());
 *         try (Producer<String, String> producer =
 *                 new KafkaProducer<>(connection, new StringSerializer(), new StringSerializer())) {
 *             long offset = producer.send(new ProducerRecord<>("orders", 1, "key", "value"))
 *                     .get()
 *                     .offset();
 *             assertThat(offset).isZero();
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>Starting a broker takes a small part of a second, so that one for each test is affordable, and tests that fail directories or restart should have one each. With
 * {@code @ExtendWith(BrokerExtension.class)} there is one plain broker for the class.
 *
 * <p>Tests may take the {@link EmbeddedBroker} as a parameter. Where there are several, give each extension a name and say which with {@link BrokerNamed}:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final BrokerExtension LEFT = new BrokerExtension("left", builder -> {});
 *
 * @RegisterExtension
 * static final BrokerExtension RIGHT = new BrokerExtension("right", builder -> builder.tls());
 *
 * @Test
 * void recordsAreMirrored(@BrokerNamed("left") EmbeddedBroker from, @BrokerNamed("right") EmbeddedBroker to) {
 *     // produce to the one, await it on the other
 * }
 * }</pre>
 */
public final class BrokerExtension
        implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private final String name;
    private final Consumer<EmbeddedBroker.Builder> configuration;
    private EmbeddedBroker broker;
    /** The test, or the outermost class, that it runs around. */
    private String aroundId;

    /** Runs a broker with one temporary directory and a PLAINTEXT listener. */
    public BrokerExtension() {
        this(builder -> {});
    }

    /**
     * Runs a broker of your own making.
     *
     * @param configuration describes the broker, each time one is started
     */
    public BrokerExtension(Consumer<EmbeddedBroker.Builder> configuration) {
        this(null, configuration);
    }

    /**
     * Runs one of several brokers.
     *
     * @param name what parameters say with {@link BrokerNamed}; null for those that say nothing
     * @param configuration describes the broker, each time one is started
     */
    public BrokerExtension(String name, Consumer<EmbeddedBroker.Builder> configuration) {
        this.name = name;
        this.configuration = Objects.requireNonNull(configuration, "configuration");
    }

    /**
     * The running broker.
     *
     * @return the broker
     * @throws IllegalStateException if none is running
     */
    public EmbeddedBroker broker() {
        if (broker == null) {
            throw new IllegalStateException("no broker is running outside of a test");
        }
        return broker;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        start(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        start(context);
    }

    /** Around a class, nested classes and tests come here again. */
    private void start(ExtensionContext context) throws Exception {
        if (broker == null) {
            EmbeddedBroker.Builder builder = EmbeddedBroker.builder();
            configuration.accept(builder);
            broker = builder.start();
            aroundId = context.getUniqueId();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        stop(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        stop(context);
    }

    private void stop(ExtensionContext context) {
        if (context.getUniqueId().equals(aroundId)) {
            broker.close();
            broker = null;
            aroundId = null;
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == EmbeddedBroker.class
                && Objects.equals(
                        name,
                        parameter
                                .findAnnotation(BrokerNamed.class)
                                .map(BrokerNamed::value)
                                .orElse(null));
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return broker();
    }
}
