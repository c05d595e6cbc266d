package io.faultline.agent.weave;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Substitutes the two calls by which Kafka's {@code SslTransportLayer.transferFrom(FileChannel, long, long)} reads the file: its {@code read} and its
 * {@code size}. Advice around the method would not do, for it swallows the exception of a read behind a part that was sent.
 */
final class TlsTransferVisitor extends ClassVisitor {

    private static final String HOOK = "java/nio/channels/FaultlineHook";
    private static final String CHANNEL = "java/nio/channels/FileChannel";
    private static final String BUFFER = "Ljava/nio/ByteBuffer;";
    private static final String METHOD = "transferFrom";
    private static final String DESCRIPTOR = "(L" + CHANNEL + ";JJ)J";
    private static final String BUFFER_FIELD = "fileChannelBuffer";
    private static final int POSITION = 2;
    private static final int COUNT = 4;

    private String className;
    private boolean hasBuffer;
    private int substituted;

    private TlsTransferVisitor(ClassVisitor next) {
        super(Opcodes.ASM9, next);
    }

    /**
     * Weaves the class.
     *
     * @param bytes the class as it is
     * @return the class woven
     * @throws IllegalStateException if it has not the calls that are to be substituted
     */
    static byte[] weave(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        TlsTransferVisitor visitor = new TlsTransferVisitor(writer);
        reader.accept(visitor, 0);
        if (visitor.substituted < 2) {
            throw new IllegalStateException("its transferFrom does not read the file as Kafka's releases do");
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
        hasBuffer |= name.equals(BUFFER_FIELD) && descriptor.equals(BUFFER);
        return super.visitField(access, name, descriptor, signature, value);
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
        return name.equals(METHOD) && descriptor.equals(DESCRIPTOR) ? new Substitution(next) : next;
    }

    private final class Substitution extends MethodVisitor {

        private Substitution(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (owner.equals(CHANNEL) && name.equals("read") && descriptor.equals("(" + BUFFER + "J)I")) {
                substituted++;
                super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "read", "(L" + CHANNEL + ";" + BUFFER + "J)I", false);
            } else if (owner.equals(CHANNEL) && name.equals("size") && descriptor.equals("()J")) {
                substituted++;
                if (hasBuffer) {
                    super.visitVarInsn(Opcodes.ALOAD, 0);
                    super.visitFieldInsn(Opcodes.GETFIELD, className, BUFFER_FIELD, BUFFER);
                } else {
                    super.visitInsn(Opcodes.ACONST_NULL);
                }
                super.visitVarInsn(Opcodes.LLOAD, POSITION);
                super.visitVarInsn(Opcodes.LLOAD, COUNT);
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC, HOOK, "size", "(L" + CHANNEL + ";" + BUFFER + "JJ)J", false);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }
    }
}
