package io.faultline.broker.junit;

import io.faultline.broker.EmbeddedBroker;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Runs a broker around tests: in a static field around the whole class, in an instance field around each test.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final BrokerExtension BROKER = new BrokerExtension(builder -> builder.temporaryDirectories(2).tls());
 * }</pre>
 *
 * <p>With {@code @ExtendWith(BrokerExtension.class)} there is one plain broker for the class. Tests may take the
 * {@link EmbeddedBroker} as a parameter.
 */
public final class BrokerExtension
        implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private final Consumer<EmbeddedBroker.Builder> configuration;
    private EmbeddedBroker broker;
    private boolean aroundClass;

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
        this.configuration = configuration;
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
        aroundClass = true;
        start();
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        if (!aroundClass) {
            start();
        }
    }

    private void start() throws Exception {
        EmbeddedBroker.Builder builder = EmbeddedBroker.builder();
        configuration.accept(builder);
        broker = builder.start();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (!aroundClass) {
            stop();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        stop();
        aroundClass = false;
    }

    private void stop() {
        if (broker != null) {
            broker.close();
            broker = null;
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == EmbeddedBroker.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return broker();
    }
}
