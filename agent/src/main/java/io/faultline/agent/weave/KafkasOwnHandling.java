package io.faultline.agent.weave;

import java.util.HashSet;
import java.util.Set;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Recognises a Kafka that does by itself some of what Faultline is there for. No release up to 4.4 does; a later one, or a patched one, may. Faultline acts all the same, since its rules go
 * further, and an operator should know that both are there.
 */
final class KafkasOwnHandling extends ClassVisitor {

    private static final String PREFIX = "org/apache/kafka/";

    private boolean touchesBufferOnFailure;

    private KafkasOwnHandling() {
        super(Opcodes.ASM9);
    }

    /** Says whether a class, by its internal name, is a handler of failed transfers of Kafka's own. */
    static boolean isTransferFailureHandler(String internalName) {
        return internalName.startsWith(PREFIX)
                && internalName.indexOf("TransferFailure", internalName.lastIndexOf('/')) >= 0;
    }

    /** Says whether a TLS transport layer resets its file buffer where a transfer fails; no release up to 4.4 touches it there. */
    static boolean resetsTlsBuffer(byte[] transport) {
        KafkasOwnHandling visitor = new KafkasOwnHandling();
        new ClassReader(transport).accept(visitor, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return visitor.touchesBufferOnFailure;
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] exceptions) {
        return name.equals("transferFrom") ? new Handlers() : null;
    }

    /** The compiler puts a handler behind what it guards, so that everything from the first handler on runs on failure only. */
    private final class Handlers extends MethodVisitor {

        private final Set<Label> handlers = new HashSet<>();
        private boolean inHandler;

        private Handlers() {
            super(Opcodes.ASM9);
        }

        @Override
        public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
            handlers.add(handler);
        }

        @Override
        public void visitLabel(Label label) {
            inHandler |= handlers.contains(label);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            touchesBufferOnFailure |= inHandler && name.equals("fileChannelBuffer");
        }
    }
}
