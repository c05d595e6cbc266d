package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies of the library in class loaders of their own, as an application and an agent have them, meet through two collections.
 * The test plays the agent, with the copy that it was loaded with itself.
 */
@ExtendWith(LeavesNoThread.class)
class AgentLinkTest {

    private final Collection<Consumer<Map<String, Object>>> consumers = new CopyOnWriteArrayList<>();
    private final Collection<Map<String, Object>> owners = new CopyOnWriteArrayList<>();
    private final Copy application = new Copy();
    private final Copy another = new Copy();

    /** A copy of the library that shares nothing but the JDK's types with this test. */
    private static final class Copy {

        private final URLClassLoader loader;

        Copy() {
            URL classes =
                    FailureFeed.class.getProtectionDomain().getCodeSource().getLocation();
            loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader());
        }

        private Class<?> type(String name) throws ClassNotFoundException {
            return loader.loadClass("io.faultline.classifier." + name);
        }

        void join(Collection<?> consumers, Collection<?> owners) throws Exception {
            type("AgentLink")
                    .getMethod("join", Collection.class, Collection.class)
                    .invoke(null, consumers, owners);
        }

        private Object feed() throws Exception {
            return type("FailureFeed").getMethod("ofThisJvm").invoke(null);
        }

        /** Subscribes; what comes is kept as text. */
        Subscription observe(List<String> received) throws Exception {
            Class<?> listener = type("FailureListener");
            Object proxy = Proxy.newProxyInstance(loader, new Class<?>[] {listener}, (self, method, arguments) -> {
                if (method.getName().equals("onClassification")) {
                    received.add(arguments[0].toString());
                }
                return null;
            });
            return subscription(type("FailureFeed")
                    .getMethod("observe", String.class, listener)
                    .invoke(feed(), "application", proxy));
        }

        Subscription register(LogDirOwner owner) throws Exception {
            Class<?> type = type("LogDirOwner");
            Object proxy = Proxy.newProxyInstance(loader, new Class<?>[] {type}, (self, method, arguments) -> {
                return switch (method.getName()) {
                    case "name" -> owner.name();
                    case "directories" -> owner.directories();
                    case "isOffline" -> owner.isOffline((String) arguments[0]);
                    case "takeOffline" -> constant("OwnerAction", owner.takeOffline((String) arguments[0], null));
                    case "equals" -> self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> throw new AssertionError(method);
                };
            });
            return subscription(type("FailureFeed").getMethod("register", type).invoke(feed(), proxy));
        }

        private static Subscription subscription(Object ofCopy) {
            return () -> {
                try {
                    ((AutoCloseable) ofCopy).close();
                } catch (Exception unexpected) {
                    throw new AssertionError(unexpected);
                }
            };
        }

        private Object constant(String type, Enum<?> constant) throws ReflectiveOperationException {
            return type(type).getField(constant.name()).get(null);
        }
    }

    @AfterEach
    void unload() throws IOException {
        application.loader.close();
        another.loader.close();
    }

    private void publish(Classification verdict) {
        consumers.forEach(consumer -> consumer.accept(MapForm.of(verdict)));
    }

    private static void awaitOne(List<String> received) {
        RunningClassifier.until("a verdict", () -> received.size() == 1);
        assertThat(received.get(0)).isEqualTo(Samples.disk().toString());
    }

    @Test
    void copiesDoNotShareTheirClasses() throws Exception {
        assertThat(application.type("FailureFeed")).isNotSameAs(FailureFeed.class);
        assertThat(application.type("FailureFeed")).isNotSameAs(another.type("FailureFeed"));
    }

    @Test
    void withoutAnAgentASubscriptionIsFree() throws Exception {
        application.observe(new CopyOnWriteArrayList<>()).close();
        assertThat(consumers).isEmpty();
    }

    @Test
    void aCopyThatSubscribedBeforeTheAgentCameIsFound() throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        Subscription subscription = application.observe(received);
        application.join(consumers, owners);
        assertThat(consumers).hasSize(1);
        publish(Samples.disk());
        awaitOne(received);
        subscription.close();
        assertThat(consumers).isEmpty();
    }

    @Test
    void aCopyThatSubscribesAfterTheAgentCameIsFound() throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        application.join(consumers, owners);
        assertThat(consumers).isEmpty();
        Subscription subscription = application.observe(received);
        publish(Samples.disk());
        awaitOne(received);
        subscription.close();
        assertThat(consumers).isEmpty();
    }

    @Test
    void oneConsumerStandsForAllListenersOfACopy() throws Exception {
        List<String> first = new CopyOnWriteArrayList<>();
        List<String> second = new CopyOnWriteArrayList<>();
        application.join(consumers, owners);
        Subscription one = application.observe(first);
        Subscription two = application.observe(second);
        assertThat(consumers).hasSize(1);
        publish(Samples.disk());
        awaitOne(first);
        awaitOne(second);
        one.close();
        assertThat(consumers).hasSize(1);
        two.close();
        assertThat(consumers).isEmpty();
    }

    @Test
    void severalCopiesMeetInTheSamePlace() throws Exception {
        List<String> ofOne = new CopyOnWriteArrayList<>();
        List<String> ofOther = new CopyOnWriteArrayList<>();
        application.join(consumers, owners);
        another.join(consumers, owners);
        Subscription one = application.observe(ofOne);
        Subscription other = another.observe(ofOther);
        assertThat(consumers).hasSize(2);
        publish(Samples.disk());
        awaitOne(ofOne);
        awaitOne(ofOther);
        one.close();
        other.close();
        assertThat(consumers).isEmpty();
    }

    @Test
    void aNewerAgentThatJoinsAgainBringsNothingTwice() throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        Subscription subscription = application.observe(received);
        application.join(consumers, owners);
        application.join(consumers, owners);
        assertThat(consumers).hasSize(1);
        Collection<Consumer<Map<String, Object>>> elsewhere = new CopyOnWriteArrayList<>();
        application.join(elsewhere, new CopyOnWriteArrayList<>());
        assertThat(consumers).isEmpty();
        assertThat(elsewhere).hasSize(1);
        subscription.close();
    }

    @Test
    void anOwnerOfACopyIsKnownToTheAgentAndActsForIt() throws Exception {
        RecordingOwner owner = new RecordingOwner("/data/d1");
        application.join(consumers, owners);
        FailureFeed agents = new FailureFeed();
        agents.bridge(consumers, owners);
        Subscription registration = application.register(owner);
        LogDirOwner met = agents.owners().get(0);
        assertThat(met.name()).isEqualTo("test-owner");
        assertThat(met.directories()).containsExactly("/data/d1");
        assertThat(met.isOffline("/data/d1")).isFalse();
        assertThat(met.takeOffline("/data/d1", Samples.disk())).isEqualTo(OwnerAction.FED);
        assertThat(met.isOffline("/data/d1")).isTrue();
        // Asked again, it is the same owner, so that its directories go on with the same checks.
        assertThat(agents.owners()).containsExactly(met);
        registration.close();
        assertThat(owners).isEmpty();
        assertThat(agents.owners()).isEmpty();
    }

    @Test
    void anOwnerThatRegisteredBeforeTheAgentCameIsFound() throws Exception {
        Subscription registration = application.register(new RecordingOwner("/data/d1"));
        application.join(consumers, owners);
        assertThat(owners).hasSize(1);
        registration.close();
        assertThat(owners).isEmpty();
    }

    @Test
    void anOwnerThatTheMeetingPlaceHasLostIsPutThereAgain() throws Exception {
        application.join(consumers, owners);
        Subscription registration = application.register(new RecordingOwner("/data/d1"));
        owners.clear();
        application.join(consumers, owners);
        assertThat(owners).hasSize(1);
        registration.close();
        assertThat(owners).isEmpty();
    }

    @Test
    void anOwnerWhoseNameCannotBeToldSpoilsNothing() throws Exception {
        application.join(consumers, owners);
        RecordingOwner nameless = new RecordingOwner("/data/d1") {
            @Override
            public String name() {
                throw new IllegalStateException("no name yet");
            }
        };
        try {
            application.register(nameless);
        } catch (InvocationTargetException refused) {
            assertThat(refused).hasRootCauseMessage("no name yet");
        }
        application.observe(new CopyOnWriteArrayList<>()).close();
        assertThat(owners).isEmpty();
    }

    @Test
    void aCopyThatIsLoadedAfterTheAgentFindsTheMeetingPlaceByItself(@TempDir Path patch) throws Exception {
        // What an agent defines into java.base, patched into it here.
        Path hook = patch.resolve("java/nio/channels/FaultlineHook.java");
        Files.createDirectories(hook.getParent());
        Files.writeString(hook, """
                package java.nio.channels;

                public final class FaultlineHook {
                    public static final java.util.Collection<Object> CONSUMERS =
                            new java.util.concurrent.CopyOnWriteArrayList<>();
                    public static final java.util.Collection<Object> OWNERS =
                            new java.util.concurrent.CopyOnWriteArrayList<>();
                }
                """);
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--patch-module", "java.base=" + patch, hook.toString());
        assertThat(compiled).isZero();
        assertThat(ChildJvm.run(
                        Map.of(), List.of("--patch-module", "java.base=" + patch), ApplicationUnderAnAgent.class))
                .contains("1 consumer, 1 owner", Samples.disk().toString(), "0 consumers, 0 owners");
    }

    /** Subscribes and registers as any application does; then plays the agent that publishes. */
    static final class ApplicationUnderAnAgent {

        private ApplicationUnderAnAgent() {}

        @SuppressWarnings("unchecked") // the types of the contract
        public static void main(String[] none) throws Exception {
            Class<?> hook = Class.forName("java.nio.channels.FaultlineHook");
            Collection<Consumer<Map<String, Object>>> consumers = (Collection<Consumer<Map<String, Object>>>)
                    hook.getField("CONSUMERS").get(null);
            Collection<?> owners = (Collection<?>) hook.getField("OWNERS").get(null);
            List<String> received = new CopyOnWriteArrayList<>();
            Subscription actor = FailureFeed.ofThisJvm().act("actor", verdict -> received.add(verdict.toString()));
            Subscription owner = FailureFeed.ofThisJvm().register(new RecordingOwner("/data/d1"));
            System.out.println(consumers.size() + " consumer, " + owners.size() + " owner");
            consumers.forEach(consumer -> consumer.accept(MapForm.of(Samples.disk())));
            received.forEach(System.out::println);
            actor.close();
            owner.close();
            System.out.println(consumers.size() + " consumers, " + owners.size() + " owners");
        }
    }
}
