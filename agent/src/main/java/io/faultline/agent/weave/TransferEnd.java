package io.faultline.agent.weave;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Adds one call to the end of {@code FileChannelImpl.transferTo}, whichever way it ends.
 *
 * <p>Instruction by instruction, and not as Byte Buddy's advice: that takes several hundred classes to load, verify and compile, for two dozen instructions, and it does so while the host starts and wants the
 * processors itself.
 *
 * <p>The call is given the arguments as they are at the end, and so the count that the JDK clamped to what is left of the file: the caller's may be {@link Long#MAX_VALUE}.
 */
final class TransferEnd extends ClassVisitor {

    private static final String METHOD = "transferTo";
    private static final String CHANNEL = "java/nio/channels/FileChannel";
    private static final String TARGET = "java/nio/channels/WritableByteChannel";
    private static final String THROWABLE = "java/lang/Throwable";
    private static final String DESCRIPTOR = "(JJL" + TARGET + ";)J";
    private static final String HOOK = "java/nio/channels/FaultlineHook";
    private static final String HOOK_METHOD = "transferEnded";
    private static final String HOOK_DESCRIPTOR = "(L" + CHANNEL + ";JJL" + TARGET + ";JL" + THROWABLE + ";)V";

    // Where the method keeps what it was called with. Nothing is kept behind it any more where the method ends.
    private static final int THIS_SLOT = 0;
    private static final int POSITION_SLOT = 1;
    private static final int COUNT_SLOT = 3;
    private static final int TARGET_SLOT = 5;
    private static final int FREE_SLOT = 6;

    private String className;
    private boolean found;

    private TransferEnd(ClassVisitor next) {
        super(Opcodes.ASM9, next);
    }

    /**
     * Weaves the JDK's file channel.
     *
     * @param bytes the class as it is
     * @return the class woven
     * @throws IllegalStateException if it has no {@code transferTo(long, long, WritableByteChannel)}
     */
    static byte[] weave(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        TransferEnd visitor = new TransferEnd(writer);
        reader.accept(visitor, 0);
        if (!visitor.found) {
            throw new IllegalStateException("it has no " + METHOD + DESCRIPTOR);
        }
        return writer.toByteArray();
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        className = name;
        super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
        if (!name.equals(METHOD) || !descriptor.equals(DESCRIPTOR)) {
            return next;
        }
        found = true;
        return new Ends(next);
    }

    private final class Ends extends MethodVisitor {

        private final Label start = new Label();

        private Ends(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            super.visitLabel(start);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.LRETURN) {
                super.visitVarInsn(Opcodes.LSTORE, FREE_SLOT);
                pushArguments();
                super.visitVarInsn(Opcodes.LLOAD, FREE_SLOT);
                super.visitInsn(Opcodes.ACONST_NULL);
                callHook();
                super.visitVarInsn(Opcodes.LLOAD, FREE_SLOT);
            }
            super.visitInsn(opcode);
        }

        /** The JVM takes the first handler that fits, so one that is added behind all others sees only what leaves the method. The hook, which is in its range, never throws. */
        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            Label thrown = new Label();
            super.visitTryCatchBlock(start, thrown, thrown, null);
            super.visitLabel(thrown);
            Object[] locals = {className, Opcodes.LONG, Opcodes.LONG, TARGET};
            super.visitFrame(Opcodes.F_FULL, locals.length, locals, 1, new Object[] {THROWABLE});
            super.visitVarInsn(Opcodes.ASTORE, FREE_SLOT);
            pushArguments();
            super.visitInsn(Opcodes.LCONST_0);
            super.visitVarInsn(Opcodes.ALOAD, FREE_SLOT);
            callHook();
            super.visitVarInsn(Opcodes.ALOAD, FREE_SLOT);
            super.visitInsn(Opcodes.ATHROW);
            super.visitMaxs(maxStack, maxLocals);
        }

        private void pushArguments() {
            super.visitVarInsn(Opcodes.ALOAD, THIS_SLOT);
            super.visitVarInsn(Opcodes.LLOAD, POSITION_SLOT);
            super.visitVarInsn(Opcodes.LLOAD, COUNT_SLOT);
            super.visitVarInsn(Opcodes.ALOAD, TARGET_SLOT);
        }

        private void callHook() {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, HOOK_METHOD, HOOK_DESCRIPTOR, false);
        }
    }
}
