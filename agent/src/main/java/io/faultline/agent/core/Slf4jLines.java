package io.faultline.agent.core;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Lines to the host's own SLF4J, logger {@code io.faultline}. Found by reflection among the classes that are loaded, and used only once the host has initialised it: to be the first would
 * take that from the host. Until then lines are kept, for as long as a host takes to start; then they go to standard error, as do all lines where there is no SLF4J.
 */
final class Slf4jLines implements Lines {

    private static final String FACTORY = "org.slf4j.LoggerFactory";
    private static final String LOGGER = "org.slf4j.Logger";

    /** The value of {@code INITIALIZATION_STATE}, in SLF4J 1 and 2, once a backend was found. */
    private static final int SUCCESSFUL = 3;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int MOST_KEPT = 100;

    private final Instrumentation instrumentation;
    private final Lines otherwise = StreamLines.toStandardError();
    private final Queue<Kept> kept = new ArrayDeque<>();
    private final long began = System.nanoTime();
    private Object logger;
    private Method info;
    private Method warn;

    private record Kept(Instant at, String line, boolean warns) {}

    Slf4jLines(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    @Override
    public void write(Instant at, String line, boolean warns) throws IOException {
        if (logger == null && System.nanoTime() - began < PATIENCE_NANOS && kept.size() < MOST_KEPT) {
            kept.add(new Kept(at, line, warns));
        } else {
            writeNow(at, line, warns);
        }
    }

    @Override
    public void tend() throws IOException {
        if (logger == null) {
            find();
        }
        if (logger != null || System.nanoTime() - began > PATIENCE_NANOS) {
            flush();
        }
    }

    @Override
    public void close() throws IOException {
        flush();
    }

    private void flush() throws IOException {
        for (Kept each = kept.poll(); each != null; each = kept.poll()) {
            writeNow(each.at, each.line, each.warns);
        }
    }

    private void writeNow(Instant at, String line, boolean warns) throws IOException {
        if (logger != null) {
            try {
                (warns ? warn : info).invoke(logger, line);
                return;
            } catch (ReflectiveOperationException | RuntimeException hosts) { // its logging fails: say it all the same
            }
        }
        otherwise.write(at, line, warns);
    }

    private void find() {
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().equals(FACTORY)) {
                try {
                    if (isInitialised(loaded)) {
                        Class<?> type = Class.forName(LOGGER, false, loaded.getClassLoader());
                        info = type.getMethod("info", String.class);
                        warn = type.getMethod("warn", String.class);
                        logger = loaded.getMethod("getLogger", String.class).invoke(null, "io.faultline");
                        return;
                    }
                } catch (ReflectiveOperationException | RuntimeException | LinkageError otherVersion) {
                    logger = null;
                }
            }
        }
    }

    private boolean isInitialised(Class<?> factory) throws ReflectiveOperationException {
        Field state = factory.getDeclaredField("INITIALIZATION_STATE");
        if (factory.getModule().isNamed()) {
            Set<Module> us = Set.of(getClass().getModule());
            Map<String, Set<Module>> opens = Map.of(factory.getPackageName(), us);
            instrumentation.redefineModule(factory.getModule(), Set.of(), Map.of(), opens, Set.of(), Map.of());
        }
        return state.trySetAccessible() && state.getInt(null) == SUCCESSFUL;
    }
}
