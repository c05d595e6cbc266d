package io.faultline.agent.host;

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Further copies of the classifier library, each in a loader of its own, as application servers and plugins have them. */
final class Copies {

    private static final String FEED = "io.faultline.classifier.FailureFeed";
    private static final String LISTENER = "io.faultline.classifier.FailureListener";

    private static final Map<String, AtomicInteger> RECEIVED = new ConcurrentHashMap<>();

    private Copies() {}

    /** Subscribes in a loader that asks itself first. */
    static String childFirst(List<String> jars) throws Exception {
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = Path.of(jars.get(i)).toUri().toURL();
        }
        return subscribe("child-first", new ChildFirst(urls));
    }

    /** Subscribes in a module of a layer. */
    static String layer(List<String> jars) throws Exception {
        ModuleFinder finder = ModuleFinder.of(jars.stream().map(Path::of).toArray(Path[]::new));
        Configuration configuration = ModuleLayer.boot()
                .configuration()
                .resolve(finder, ModuleFinder.of(), Set.of("io.faultline.classifier"));
        ModuleLayer layer = ModuleLayer.boot().defineModulesWithOneLoader(configuration, null);
        return subscribe("layer", layer.findLoader("io.faultline.classifier"));
    }

    static String received(String name) {
        return RECEIVED.getOrDefault(name, new AtomicInteger()).toString();
    }

    private static String subscribe(String name, ClassLoader loader) throws ReflectiveOperationException {
        AtomicInteger count = RECEIVED.computeIfAbsent(name, key -> new AtomicInteger());
        Class<?> feed = loader.loadClass(FEED);
        Class<?> listener = loader.loadClass(LISTENER);
        Object proxy = Proxy.newProxyInstance(loader, new Class<?>[] {listener}, (self, method, arguments) -> {
            if (method.getName().equals("onClassification")) {
                count.incrementAndGet();
            }
            return null;
        });
        feed.getMethod("observe", String.class, listener)
                .invoke(feed.getMethod("ofThisJvm").invoke(null), name, proxy);
        return feed.getModule() + " of " + feed.getClassLoader().getClass().getSimpleName();
    }

    private static final class ChildFirst extends URLClassLoader {

        private ChildFirst(URL[] urls) {
            super(urls, Copies.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded == null) {
                    try {
                        loaded = findClass(name);
                    } catch (ClassNotFoundException notHere) {
                        return super.loadClass(name, resolve);
                    }
                }
                return loaded;
            }
        }

        @Override
        public void close() throws IOException {
            super.close();
        }
    }
}
