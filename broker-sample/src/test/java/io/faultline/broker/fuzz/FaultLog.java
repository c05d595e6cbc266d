package io.faultline.broker.fuzz;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * The log of the JVM that is fuzzed, where it is named by {@code slf4j.provider}: it keeps errors, which are what the broker
 * logs when it meets what it did not expect, and counts warnings.
 */
public final class FaultLog implements SLF4JServiceProvider {

    private static final List<String> ERRORS = new CopyOnWriteArrayList<>();
    private static final AtomicLong WARNINGS = new AtomicLong();

    private final ConcurrentHashMap<String, Logger> loggers = new ConcurrentHashMap<>();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new NOPMDCAdapter();

    /** Made by SLF4J. */
    public FaultLog() {}

    static void record(String what, Throwable cause) {
        if (cause != null) {
            cause.printStackTrace();
        }
        ERRORS.add(cause == null ? what : what + ": " + cause);
    }

    /** What was logged as an error so far. */
    static List<String> errors() {
        return ERRORS;
    }

    static long warnings() {
        return WARNINGS.get();
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> loggers.computeIfAbsent(name, FaultLogger::new);
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {
        // Everything is there from the start.
    }

    private static final class FaultLogger extends LegacyAbstractLogger {

        private static final long serialVersionUID = 1L;

        private FaultLogger(String name) {
            this.name = name;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, Marker marker, String pattern, Object[] arguments, Throwable throwable) {
            if (level == Level.ERROR) {
                record(name + ": " + MessageFormatter.basicArrayFormat(pattern, arguments), throwable);
            } else {
                WARNINGS.incrementAndGet();
                // What clients provoke by the thousand is only counted; the rest may explain a finding.
                if (!name.contains(".network.") && !name.contains(".api.")) {
                    System.err.println(name + ": " + MessageFormatter.basicArrayFormat(pattern, arguments));
                    if (throwable != null) {
                        throwable.printStackTrace();
                    }
                }
            }
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }
    }
}
