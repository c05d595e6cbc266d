package io.faultline.agent.metrics;

import io.micrometer.common.util.internal.logging.AbstractInternalLogger;
import io.micrometer.common.util.internal.logging.InternalLogger;
import io.micrometer.common.util.internal.logging.InternalLoggerFactory;

/**
 * Keeps Micrometer from logging anything: left to itself it would initialise {@code java.util.logging}, perhaps before the host has, and what it says is for developers.
 */
public final class QuietLogging extends InternalLoggerFactory {

    private QuietLogging() {}

    /** Installs it in this agent's own copy of Micrometer. */
    public static void install() {
        InternalLoggerFactory.setDefaultFactory(new QuietLogging());
    }

    @Override
    protected InternalLogger newInstance(String name) {
        return new Silent(name);
    }

    private static final class Silent extends AbstractInternalLogger {

        private static final long serialVersionUID = 1L;

        private Silent(String name) {
            super(name);
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public void trace(String message) {}

        @Override
        public void trace(String format, Object argument) {}

        @Override
        public void trace(String format, Object first, Object second) {}

        @Override
        public void trace(String format, Object... arguments) {}

        @Override
        public void trace(String message, Throwable thrown) {}

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public void debug(String message) {}

        @Override
        public void debug(String format, Object argument) {}

        @Override
        public void debug(String format, Object first, Object second) {}

        @Override
        public void debug(String format, Object... arguments) {}

        @Override
        public void debug(String message, Throwable thrown) {}

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public void info(String message) {}

        @Override
        public void info(String format, Object argument) {}

        @Override
        public void info(String format, Object first, Object second) {}

        @Override
        public void info(String format, Object... arguments) {}

        @Override
        public void info(String message, Throwable thrown) {}

        @Override
        public boolean isWarnEnabled() {
            return false;
        }

        @Override
        public void warn(String message) {}

        @Override
        public void warn(String format, Object argument) {}

        @Override
        public void warn(String format, Object first, Object second) {}

        @Override
        public void warn(String format, Object... arguments) {}

        @Override
        public void warn(String message, Throwable thrown) {}

        @Override
        public boolean isErrorEnabled() {
            return false;
        }

        @Override
        public void error(String message) {}

        @Override
        public void error(String format, Object argument) {}

        @Override
        public void error(String format, Object first, Object second) {}

        @Override
        public void error(String format, Object... arguments) {}

        @Override
        public void error(String message, Throwable thrown) {}
    }
}
