package io.faultline.agent.host;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;

/**
 * Another agent in the same process. Loaded into a running one, it writes down the bytes of a class as all agents before it leave them. Loaded with the
 * process, it can put bytes of its own in their place.
 */
public final class ByteCapture {

    private static Instrumentation instrumentation;

    private ByteCapture() {}

    /**
     * Called by the JVM when the agent is loaded into a running process.
     *
     * @param options a class and a file to write its bytes to, separated by a space
     * @param given the JVM's
     * @throws Exception if that is not possible
     */
    public static void agentmain(String options, Instrumentation given) throws Exception {
        String[] words = options.split(" ", 2);
        Files.write(Path.of(words[1]), bytesOf(words[0], given));
    }

    /**
     * Called by the JVM when the agent is loaded with the process.
     *
     * @param options none
     * @param given the JVM's
     */
    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    /** From now on a class gets the bytes back that it has now, whoever changed them. */
    static String keepStripping(String className) throws Exception {
        byte[] now = bytesOf(className, instrumentation);
        instrumentation.addTransformer(
                new Transformer(className.replace('.', '/')) {
                    @Override
                    byte[] see(byte[] bytes) {
                        return now;
                    }
                },
                true);
        return "";
    }

    private static byte[] bytesOf(String className, Instrumentation instrumentation)
            throws ClassNotFoundException, UnmodifiableClassException {
        byte[][] captured = new byte[1][];
        Transformer capture = new Transformer(className.replace('.', '/')) {
            @Override
            byte[] see(byte[] bytes) {
                captured[0] = bytes;
                return null;
            }
        };
        instrumentation.addTransformer(capture, true);
        try {
            instrumentation.retransformClasses(Class.forName(className));
        } finally {
            instrumentation.removeTransformer(capture);
        }
        return captured[0];
    }

    private abstract static class Transformer implements ClassFileTransformer {

        private final String internalName;

        Transformer(String internalName) {
            this.internalName = internalName;
        }

        abstract byte[] see(byte[] bytes);

        @Override
        public byte[] transform(
                Module module,
                ClassLoader loader,
                String name,
                Class<?> redefined,
                ProtectionDomain domain,
                byte[] bytes) {
            return internalName.equals(name) ? see(bytes) : null;
        }
    }
}
