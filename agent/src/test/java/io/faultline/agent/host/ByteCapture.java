package io.faultline.agent.host;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.ProtectionDomain;
import java.util.HexFormat;

/** Another agent in the same process. It sees the bytes of a class as they are in force, and can put bytes of its own in their place. */
public final class ByteCapture {

    private static Instrumentation instrumentation;

    private ByteCapture() {}

    /**
     * Called by the JVM.
     *
     * @param options none
     * @param given the JVM's
     */
    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    /** The digest of a class as the transformers before us leave it. */
    static String digestOf(String className) throws Exception {
        byte[] bytes = bytesOf(className);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    /** From now on a class gets the bytes back that it has now, whoever changed them. */
    static String keepStripping(String className) throws Exception {
        byte[] now = bytesOf(className);
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

    private static byte[] bytesOf(String className)
            throws ClassNotFoundException, UnmodifiableClassException, NoSuchAlgorithmException {
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
