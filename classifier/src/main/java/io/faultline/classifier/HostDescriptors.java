package io.faultline.classifier;

import java.io.FileDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.channels.FileChannel;

/**
 * Tells the number of the file descriptor behind a host's channel. That needs the package {@code sun.nio.ch} opened to this class, as an
 * agent does, or {@code --add-opens java.base/sun.nio.ch}; elsewhere no number is known and checks read through the host's channel.
 */
final class HostDescriptors {

    /** What stands for "not known". */
    static final int UNKNOWN = -1;

    private final Field descriptor;
    private final Method number;

    private HostDescriptors(Field descriptor, Method number) {
        this.descriptor = descriptor;
        this.number = number;
    }

    /** Looks the JDK's fields up; never throws. */
    static HostDescriptors find() {
        try {
            Class<?> channel = Class.forName("sun.nio.ch.FileChannelImpl");
            Field descriptor = channel.getDeclaredField("fd");
            Method number = Class.forName("sun.nio.ch.IOUtil").getMethod("fdVal", FileDescriptor.class);
            if (descriptor.trySetAccessible() && number.trySetAccessible()) {
                return new HostDescriptors(descriptor, number);
            }
        } catch (ReflectiveOperationException | LinkageError | RuntimeException otherJdk) {
            // Checks read through the host's channel then.
        }
        return unknown();
    }

    /** Tells none. */
    static HostDescriptors unknown() {
        return new HostDescriptors(null, null);
    }

    /** The number of the channel's descriptor, {@link #UNKNOWN} where it cannot be told. */
    int of(FileChannel channel) {
        if (descriptor == null || !descriptor.getDeclaringClass().isInstance(channel)) {
            return UNKNOWN;
        }
        try {
            return (int) number.invoke(null, descriptor.get(channel));
        } catch (ReflectiveOperationException | RuntimeException otherJdk) {
            return UNKNOWN;
        }
    }
}
