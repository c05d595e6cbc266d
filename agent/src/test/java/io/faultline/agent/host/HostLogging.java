package io.faultline.agent.host;

import org.slf4j.LoggerFactory;

/** The host's own logging. */
final class HostLogging {

    private HostLogging() {}

    static String log(String line) {
        LoggerFactory.getLogger("host").info(line);
        return LoggerFactory.getILoggerFactory().getClass().getName();
    }
}
