package io.faultline.broker.network;

import org.apache.kafka.common.utils.internals.LogContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/**
 * Loggers for kafka-clients that keep to one line, and to few of a kind: what a hostile client can provoke must not fill the log
 * with stack traces. The exception's text goes on the line, its stack trace to debug.
 */
final class OneLineLogContext extends LogContext {

    private final String prefix;

    OneLineLogContext(String prefix) {
        super(prefix);
        this.prefix = prefix;
    }

    @Override
    public Logger logger(Class<?> type) {
        return new OneLineLogger(prefix, LoggerFactory.getLogger(type));
    }

    private static final class OneLineLogger extends LegacyAbstractLogger {

        private static final long serialVersionUID = 1L;

        private final String prefix;
        private final transient Logger log;
        private final transient RateLimitedLog limited;

        private OneLineLogger(String prefix, Logger log) {
            this.prefix = prefix;
            this.log = log;
            this.limited = new RateLimitedLog(log);
            this.name = log.getName();
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, Marker marker, String pattern, Object[] arguments, Throwable throwable) {
            String line = prefix + MessageFormatter.basicArrayFormat(pattern, arguments);
            String whole = throwable == null ? line : line + ": " + throwable;
            if (level == Level.WARN) {
                limited.write(pattern, whole);
            } else {
                log.atLevel(level).log(whole);
            }
            if (throwable != null && level != Level.DEBUG && level != Level.TRACE) {
                log.debug("{}", line, throwable);
            }
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        public boolean isTraceEnabled() {
            return log.isTraceEnabled();
        }

        @Override
        public boolean isDebugEnabled() {
            return log.isDebugEnabled();
        }

        @Override
        public boolean isInfoEnabled() {
            return log.isInfoEnabled();
        }

        @Override
        public boolean isWarnEnabled() {
            return log.isWarnEnabled();
        }

        @Override
        public boolean isErrorEnabled() {
            return log.isErrorEnabled();
        }
    }
}
