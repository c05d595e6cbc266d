package io.faultline.agent.weave;

import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Substitutes the calls by which Kafka's classes read a file on their way to a client. Advice around those methods would not do: they swallow the exception of a read behind
 * a part that was sent, or wrap it.
 *
 * <ul>
 *   <li>{@code SslTransportLayer.transferFrom}: its {@code read} and {@code size}.
 *   <li>{@code FileRecords.writeTo}: its {@code size}, which comes before any transfer.
 *   <li>{@code Utils.readFully}: its {@code read}. By it brokers up to 3.9 convert records down for old consumers, on the network thread.
 * </ul>
 */
final class KafkaCalls extends ClassVisitor {

    /** Each class with the method in which calls are substituted, and how many. */
    private static final Map<String, Target> TARGETS = Map.of(
            "org.apache.kafka.common.network.SslTransportLayer", new Target("transferFrom", 2),
            "org.apache.kafka.common.record.FileRecords", new Target("writeTo", 1),
            "org.apache.kafka.common.record.internal.FileRecords", new Target("writeTo", 1),
            "org.apache.kafka.common.utils.Utils", new Target("readFully", 1));

    private static final String HOOK = "java/nio/channels/FaultlineHook";
    private static final String CHANNEL = "java/nio/channels/FileChannel";
    private static final String BUFFER = "Ljava/nio/ByteBuffer;";
    private static final String READ = "(" + BUFFER + "J)I";
    private static final String READ_BY_HOOK = "(L" + CHANNEL + ";" + BUFFER + "J)I";
    private static final String TLS_BUFFER_FIELD = "fileChannelBuffer";
    private static final int TLS_POSITION = 2;
    private static final int TLS_COUNT = 4;

    private record Target(String method, int calls) {}

    private final Target target;
    private String className;
    private boolean hasTlsBuffer;
    private int substituted;

    private KafkaCalls(ClassVisitor next, Target target) {
        super(Opcodes.ASM9, next);
        this.target = target;
    }

    /** The names of the classes that are woven. */
    static List<String> classNames() {
        return TARGETS.keySet().stream().sorted().toList();
    }

    /**
     * Weaves a class.
     *
     * @param name one of {@link #classNames}
     * @param bytes the class as it is
     * @return the class woven
     * @throws IllegalStateException if it has not the calls that are to be substituted
     */
    static byte[] weave(String name, byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        KafkaCalls visitor = new KafkaCalls(writer, TARGETS.get(name));
        reader.accept(visitor, 0);
        if (visitor.substituted != visitor.target.calls) {
            throw new IllegalStateException("its " + visitor.target.method + " reads the file in " + visitor.substituted
                    + " places, not in " + visitor.target.calls + " as in Kafka's releases");
        }
        return writer.toByteArray();
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        className = name;
        super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
        hasTlsBuffer |= name.equals(TLS_BUFFER_FIELD) && descriptor.equals(BUFFER);
        return super.visitField(access, name, descriptor, signature, value);
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
        // A bridge only calls the method that it stands for.
        return name.equals(target.method) && (access & Opcodes.ACC_BRIDGE) == 0 ? new Substitution(next) : next;
    }

    private final class Substitution extends MethodVisitor {

        private final boolean ofTls = target.method.equals("transferFrom");

        private Substitution(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (owner.equals(CHANNEL) && name.equals("read") && descriptor.equals(READ)) {
                callHook(ofTls ? "read" : "plainRead", READ_BY_HOOK);
            } else if (owner.equals(CHANNEL) && name.equals("size") && descriptor.equals("()J")) {
                if (ofTls) {
                    pushTlsArguments();
                    callHook("size", "(L" + CHANNEL + ";" + BUFFER + "JJ)J");
                } else {
                    callHook("plainSize", "(L" + CHANNEL + ";)J");
                }
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }

        private void pushTlsArguments() {
            if (hasTlsBuffer) {
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitFieldInsn(Opcodes.GETFIELD, className, TLS_BUFFER_FIELD, BUFFER);
            } else {
                super.visitInsn(Opcodes.ACONST_NULL);
            }
            super.visitVarInsn(Opcodes.LLOAD, TLS_POSITION);
            super.visitVarInsn(Opcodes.LLOAD, TLS_COUNT);
        }

        private void callHook(String method, String descriptor) {
            substituted++;
            super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, method, descriptor, false);
        }
    }
}
