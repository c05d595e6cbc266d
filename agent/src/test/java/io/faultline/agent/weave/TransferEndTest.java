package io.faultline.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.Test;

/** The bytes only; that the JVM takes them, and what becomes of a transfer, is for the tests that attach the agent. */
class TransferEndTest {

    private static final String TRANSFER = "transferTo(JJLjava/nio/channels/WritableByteChannel;)J";
    private static final String HOOK = "java/nio/channels/FaultlineHook.transferEnded";

    @Test
    void theHookIsCalledBeforeEachReturnAndBehindWhateverIsThrown() throws IOException {
        Counts before = methods(fileChannel()).get(TRANSFER);
        Counts after = methods(TransferEnd.weave(fileChannel())).get(TRANSFER);

        assertThat(before.returns).isPositive();
        assertThat(after.returns).isEqualTo(before.returns);
        assertThat(after.hookCalls).isEqualTo(before.returns + 1);
        assertThat(after.handlers).isEqualTo(before.handlers + 1);
    }

    @Test
    void noOtherMethodIsChanged() throws IOException {
        Map<String, Counts> before = methods(fileChannel());
        Map<String, Counts> after = methods(TransferEnd.weave(fileChannel()));

        before.remove(TRANSFER);
        after.remove(TRANSFER);
        assertThat(after).isEqualTo(before).isNotEmpty();
    }

    @Test
    void aClassThatTransfersInAnotherWayIsRefused() throws IOException {
        byte[] other = bytes(TransferEndTest.class.getResourceAsStream("TransferEndTest.class"));

        assertThatIllegalStateException()
                .isThrownBy(() -> TransferEnd.weave(other))
                .withMessageContaining(TRANSFER);
    }

    /**
     * What is in a method.
     *
     * @param instructions how many without operands
     */
    private record Counts(int instructions, int returns, int hookCalls, int handlers) {}

    private static Map<String, Counts> methods(byte[] bytes) {
        Map<String, Counts> methods = new LinkedHashMap<>();
        new ClassReader(bytes)
                .accept(
                        new ClassVisitor(Opcodes.ASM9) {
                            @Override
                            public MethodVisitor visitMethod(
                                    int access, String name, String descriptor, String signature, String[] thrown) {
                                return new Counting(counts -> methods.put(name + descriptor, counts));
                            }
                        },
                        0);
        return methods;
    }

    private static final class Counting extends MethodVisitor {

        private final Consumer<Counts> counted;
        private int instructions;
        private int returns;
        private int hookCalls;
        private int handlers;

        private Counting(Consumer<Counts> counted) {
            super(Opcodes.ASM9);
            this.counted = counted;
        }

        @Override
        public void visitInsn(int opcode) {
            instructions++;
            returns += opcode == Opcodes.LRETURN ? 1 : 0;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String type, boolean isInterface) {
            hookCalls += HOOK.equals(owner + "." + name) ? 1 : 0;
        }

        @Override
        public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
            handlers++;
        }

        @Override
        public void visitEnd() {
            counted.accept(new Counts(instructions, returns, hookCalls, handlers));
        }
    }

    /** As this JVM has it. */
    private static byte[] fileChannel() throws IOException {
        return Files.readAllBytes(FileSystems.getFileSystem(URI.create("jrt:/"))
                .getPath("modules", "java.base", "sun", "nio", "ch", "FileChannelImpl.class"));
    }

    private static byte[] bytes(InputStream resource) throws IOException {
        try (resource) {
            return resource.readAllBytes();
        }
    }
}
