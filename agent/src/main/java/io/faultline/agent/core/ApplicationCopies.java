package io.faultline.agent.core;

import java.lang.instrument.Instrumentation;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Copies of the classifier library that the application loaded before the agent came: they cannot have found the hook. Those loaded from then on find it themselves. */
final class ApplicationCopies {

    private static final String LINK = "io.faultline.classifier.AgentLink";

    private final Instrumentation instrumentation;

    ApplicationCopies(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    /**
     * Connects each copy with a meeting point.
     *
     * @param consumers where they put their consumers of verdicts
     * @param owners where they put their owners of directories
     * @param onFailure told of the loader of a copy that cannot be connected, and why
     */
    void join(
            Collection<Consumer<Map<String, Object>>> consumers,
            Collection<Map<String, Object>> owners,
            BiConsumer<ClassLoader, Throwable> onFailure) {
        Module us = ApplicationCopies.class.getModule();
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().equals(LINK) && loaded.getModule() != us) {
                try {
                    Map<String, Set<Module>> exports = Map.of(loaded.getPackageName(), Set.of(us));
                    instrumentation.redefineModule(loaded.getModule(), Set.of(), exports, Map.of(), Set.of(), Map.of());
                    loaded.getMethod("join", Collection.class, Collection.class).invoke(null, consumers, owners);
                } catch (ReflectiveOperationException | RuntimeException | LinkageError otherVersion) {
                    onFailure.accept(loaded.getClassLoader(), otherVersion);
                }
            }
        }
    }
}
