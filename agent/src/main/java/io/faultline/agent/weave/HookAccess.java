package io.faultline.agent.weave;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Defines {@code java.nio.channels.FaultlineHook} into java.base, or finds the one that an earlier agent defined, and reaches its private parts. The packages that
 * this needs are opened to this class's module only, which is that of the isolated loader; the application can reach into them no better than before.
 */
public final class HookAccess {

    private static final String HOOK = "java.nio.channels.FaultlineHook";

    private final Class<?> hook;
    private final VarHandle sink;
    private final VarHandle rehearsal;
    private final Lookup lookup;

    private HookAccess(Class<?> hook, Lookup lookup) throws ReflectiveOperationException {
        this.hook = hook;
        this.lookup = lookup;
        this.sink = lookup.findStaticVarHandle(hook, "sink", Consumer.class);
        this.rehearsal = lookup.findStaticVarHandle(hook, "rehearsal", Function.class);
    }

    /**
     * Opens the packages and defines the hook where there is none.
     *
     * @param instrumentation the JVM's
     * @return access to it
     * @throws ReflectiveOperationException if the JDK is not as expected
     * @throws IOException if the hook's bytes cannot be read
     */
    public static HookAccess define(Instrumentation instrumentation) throws ReflectiveOperationException, IOException {
        Set<Module> us = Set.of(HookAccess.class.getModule());
        instrumentation.redefineModule(
                Object.class.getModule(),
                Set.of(),
                Map.of(),
                Map.of("java.nio.channels", us, "sun.nio.ch", us),
                Set.of(),
                Map.of());
        Class<?> hook = findOrDefine();
        return new HookAccess(hook, MethodHandles.privateLookupIn(hook, MethodHandles.lookup()));
    }

    private static Class<?> findOrDefine() throws ReflectiveOperationException, IOException {
        try {
            return Class.forName(HOOK, true, null);
        } catch (ClassNotFoundException first) {
            try {
                return MethodHandles.privateLookupIn(FileChannel.class, MethodHandles.lookup())
                        .defineClass(bytesOf(HOOK));
            } catch (LinkageError notFirst) { // another agent that starts at the same moment
                return Class.forName(HOOK, true, null);
            }
        }
    }

    /**
     * Puts a taker of failures in place, unless there is one.
     *
     * @param taker see the hook
     * @return false if an agent is attached already
     */
    public boolean claim(Consumer<Object[]> taker) {
        return sink.compareAndSet((Consumer<?>) null, (Consumer<?>) taker);
    }

    /**
     * Takes the taker of failures away.
     *
     * @param taker the one that was put
     */
    public void release(Consumer<Object[]> taker) {
        sink.compareAndSet((Consumer<?>) taker, (Consumer<?>) null);
    }

    /**
     * The taker that is in place.
     *
     * @return the taker of whichever agent is attached, or null
     */
    public Object attached() {
        return sink.getVolatile();
    }

    /**
     * Puts a rehearsal in place, or takes it away.
     *
     * @param rehearsal see the hook; null for none
     */
    public void rehearse(Function<Object[], Object> rehearsal) {
        this.rehearsal.setVolatile((Function<?, ?>) rehearsal);
    }

    /**
     * Puts a taker of files whose stale TLS bytes were held back in place, or takes it away. Does nothing where an older hook knows of none.
     *
     * @param taker see the hook; null for none
     */
    public void tellEmptied(Consumer<FileChannel> taker) {
        try {
            lookup.findStaticVarHandle(hook, "emptied", Consumer.class).setVolatile((Consumer<?>) taker);
        } catch (ReflectiveOperationException older) { // then they are counted for no directory
        }
    }

    /**
     * Where the application's takers of verdicts are.
     *
     * @return the hook's collection
     * @throws ReflectiveOperationException if the hook is not as expected
     */
    @SuppressWarnings("unchecked") // the contract says what it holds
    public Collection<Consumer<Map<String, Object>>> consumers() throws ReflectiveOperationException {
        return (Collection<Consumer<Map<String, Object>>>)
                hook.getField("CONSUMERS").get(null);
    }

    /**
     * Where the application's owners of log directories are.
     *
     * @return the hook's collection
     * @throws ReflectiveOperationException if the hook is not as expected
     */
    @SuppressWarnings("unchecked") // the contract says what it holds
    public Collection<Map<String, Object>> owners() throws ReflectiveOperationException {
        return (Collection<Map<String, Object>>) hook.getField("OWNERS").get(null);
    }

    /**
     * A counter of the hook.
     *
     * @param name the name of its field
     * @return the counter; one that stays at 0 where an older hook has none of that name
     */
    public LongAdder counter(String name) {
        try {
            return (LongAdder)
                    lookup.findStaticVarHandle(hook, name, LongAdder.class).get();
        } catch (ReflectiveOperationException older) {
            return new LongAdder();
        }
    }

    /**
     * The version of the hook's contract.
     *
     * @return the version
     */
    public int contract() {
        try {
            return hook.getField("CONTRACT").getInt(null);
        } catch (ReflectiveOperationException unversioned) {
            return 0;
        }
    }

    private static byte[] bytesOf(String className) throws IOException {
        String resource = className.replace('.', '/') + ".class";
        try (InputStream in = HookAccess.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("the agent's jar has no " + resource);
            }
            return in.readAllBytes();
        }
    }
}
