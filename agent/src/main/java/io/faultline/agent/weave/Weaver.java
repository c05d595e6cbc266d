package io.faultline.agent.weave;

import io.faultline.classifier.FaultlineThreads;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Weaves the classes through which files leave a JVM: the JDK's {@code FileChannelImpl}, and those of Kafka's that read a file themselves, see
 * {@link KafkaCalls}, in whichever loader they are. A class that cannot be woven is reported and stays as it was.
 */
public final class Weaver implements ClassFileTransformer {

    /** The JDK's file channel. */
    public static final String FILE_CHANNEL = "sun.nio.ch.FileChannelImpl";

    private static final String FILE_CHANNEL_INTERNAL = FILE_CHANNEL.replace('.', '/');
    private static final String TLS_TRANSPORT = ".SslTransportLayer";
    private static final String KAFKA_PREFIX = "org/apache/kafka/common/";

    /** Kafka's classes that are woven, by their internal names. */
    private static final Map<String, String> KAFKA_CLASSES = KafkaCalls.classNames().stream()
            .collect(Collectors.toUnmodifiableMap(name -> name.replace('.', '/'), name -> name));

    /** Everything that is woven where it is loaded. */
    public static final List<String> TARGETS = Stream.concat(Stream.of(FILE_CHANNEL), KafkaCalls.classNames().stream())
            .toList();

    private final Instrumentation instrumentation;
    private final boolean rehearses;
    private final BiConsumer<String, Throwable> onFailure;
    private final Consumer<String> onNotice;
    private final Set<String> noticed = ConcurrentHashMap.newKeySet();
    private final Map<String, Boolean> woven = new ConcurrentHashMap<>();
    private boolean active;

    /**
     * Makes a weaver that has woven nothing yet.
     *
     * @param instrumentation the JVM's
     * @param rehearses whether reads shall be able to fail on command
     * @param onFailure told of a class that could not be woven, and why
     * @param onNotice told once of what an operator should know of the host
     */
    public Weaver(
            Instrumentation instrumentation,
            boolean rehearses,
            BiConsumer<String, Throwable> onFailure,
            Consumer<String> onNotice) {
        this.instrumentation = instrumentation;
        this.rehearses = rehearses;
        this.onFailure = onFailure;
        this.onNotice = onNotice;
    }

    /** Weaves what is loaded, and from now on what gets loaded. Does nothing if that is so already. */
    public synchronized void weave() {
        if (active) {
            return;
        }
        active = true;
        instrumentation.addTransformer(this, true);
        try {
            retransform(Class.forName(FILE_CHANNEL, false, null));
        } catch (ClassNotFoundException | LinkageError otherJdk) {
            onFailure.accept(FILE_CHANNEL, otherJdk);
        }
        loadedKafkaClasses().forEach(this::retransform);
    }

    /**
     * Weaves what was being loaded at the very moment when {@link #weave} looked, by no fault of anybody's: too early for the transformer, too late to be among the loaded
     * classes. To be called a few times in the seconds after.
     */
    public synchronized void weaveMissed() {
        if (active) {
            loadedKafkaClasses().stream()
                    .filter(loaded -> !woven.containsKey(loaded.getName()))
                    .forEach(this::retransform);
        }
    }

    /** Gives every woven class its old bytes back. Does nothing if nothing is woven. */
    public synchronized void unweave() {
        if (!active) {
            return;
        }
        active = false;
        instrumentation.removeTransformer(this);
        try {
            retransform(Class.forName(FILE_CHANNEL, false, null));
        } catch (ClassNotFoundException | LinkageError otherJdk) {
            onFailure.accept(FILE_CHANNEL, otherJdk);
        }
        loadedKafkaClasses().forEach(this::retransform);
        woven.clear();
    }

    /**
     * Says whether a class has been woven.
     *
     * @param className one of {@link #TARGETS}
     * @return true if it has, in some loader; false if it is not loaded, too
     */
    public boolean hasWoven(String className) {
        return woven.getOrDefault(className, false);
    }

    @Override
    public byte[] transform(
            Module module, ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (name != null && KafkasOwnHandling.isTransferFailureHandler(name)) {
            noticeOnce("this Kafka handles failed transfers by itself (" + name.replace('/', '.')
                    + "); Faultline, whose rules go further, acts all the same");
        }
        if (FILE_CHANNEL_INTERNAL.equals(name) && loader == null) {
            return attempt(FILE_CHANNEL, () -> weaveFileChannel(redefined, bytes));
        }
        if (name != null && name.startsWith(KAFKA_PREFIX) && KAFKA_CLASSES.containsKey(name)) {
            String className = KAFKA_CLASSES.get(name);
            return attempt(className, () -> weaveKafkaClass(className, bytes));
        }
        return null;
    }

    private byte[] weaveKafkaClass(String className, byte[] bytes) {
        byte[] woven = KafkaCalls.weave(className, bytes);
        if (className.endsWith(TLS_TRANSPORT) && KafkasOwnHandling.resetsTlsBuffer(bytes)) {
            noticeOnce("this Kafka holds stale TLS bytes back by itself; Faultline does so too");
        }
        return woven;
    }

    private void noticeOnce(String notice) {
        if (noticed.add(notice)) {
            apart(() -> onNotice.accept(notice));
        }
    }

    /** Not on this thread, which may be the host's and loads a class. */
    private static void apart(Runnable telling) {
        FaultlineThreads.start("notice", telling);
    }

    private byte[] attempt(String className, Supplier<byte[]> weaving) {
        try {
            byte[] bytes = weaving.get();
            woven.put(className, true);
            return bytes;
        } catch (Throwable failure) { // thrown on, the JVM would swallow it and nobody would know
            woven.put(className, false);
            apart(() -> onFailure.accept(className, failure));
            return null;
        }
    }

    private byte[] weaveFileChannel(Class<?> loaded, byte[] bytes) {
        byte[] woven = TransferEnd.weave(bytes);
        return rehearses ? Rehearsal.weave(loaded, woven) : woven;
    }

    private List<Class<?>> loadedKafkaClasses() {
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (KAFKA_CLASSES.containsValue(loaded.getName())) {
                found.add(loaded);
            }
        }
        return found;
    }

    private void retransform(Class<?> loaded) {
        try {
            instrumentation.retransformClasses(loaded);
        } catch (UnmodifiableClassException | RuntimeException | LinkageError | InternalError refused) {
            woven.put(loaded.getName(), false);
            onFailure.accept(loaded.getName(), refused);
        }
    }
}
