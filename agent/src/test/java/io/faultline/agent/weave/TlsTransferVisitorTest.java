package io.faultline.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.apache.kafka.common.network.SslTransportLayer;
import org.junit.jupiter.api.Test;

class TlsTransferVisitorTest {

    @Test
    void theReadAndTheSizeOfKafkasTransferAreSubstitutedAndNothingElse() throws IOException {
        byte[] original = bytesOf(SslTransportLayer.class);

        List<String> before = calls(original);
        List<String> after = calls(TlsTransferVisitor.weave(original));

        assertThat(before).contains("java/nio/channels/FileChannel.read", "java/nio/channels/FileChannel.size");
        assertThat(after)
                .doesNotContain("java/nio/channels/FileChannel.read", "java/nio/channels/FileChannel.size")
                .isEqualTo(before.stream()
                        .map(call -> call.startsWith("java/nio/channels/FileChannel.")
                                ? call.replace("FileChannel.", "FaultlineHook.")
                                : call)
                        .toList());
    }

    @Test
    void aClassThatReadsTheFileInAnotherWayIsRefused() throws IOException {
        byte[] other = bytesOf(TlsTransferVisitorTest.class);

        assertThatIllegalStateException()
                .isThrownBy(() -> TlsTransferVisitor.weave(other))
                .withMessageContaining("does not read the file as Kafka's releases do");
    }

    /** Every call in the class, in order. */
    private static List<String> calls(byte[] bytes) {
        List<String> calls = new ArrayList<>();
        new ClassReader(bytes)
                .accept(
                        new ClassVisitor(Opcodes.ASM9) {
                            @Override
                            public MethodVisitor visitMethod(
                                    int access, String name, String descriptor, String signature, String[] thrown) {
                                return new MethodVisitor(Opcodes.ASM9) {
                                    @Override
                                    public void visitMethodInsn(
                                            int opcode, String owner, String called, String type, boolean isInterface) {
                                        calls.add(owner + "." + called);
                                    }
                                };
                            }
                        },
                        0);
        return calls;
    }

    private static byte[] bytesOf(Class<?> type) throws IOException {
        try (InputStream in =
                type.getClassLoader().getResourceAsStream(type.getName().replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }
}
