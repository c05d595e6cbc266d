package io.faultline.broker.log;

import java.io.IOException;

/** That another broker, in this JVM or another process, uses a log directory. It says nothing about the disk. */
public final class DirectoryInUseException extends IOException {

    private static final long serialVersionUID = 1L;

    /**
     * Names the directory.
     *
     * @param path the directory as it was configured
     */
    public DirectoryInUseException(String path) {
        super("log directory " + path + " is in use by another broker");
    }
}
