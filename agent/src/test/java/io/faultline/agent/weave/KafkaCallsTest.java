package io.faultline.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.apache.kafka.common.network.SslTransportLayer;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class KafkaCallsTest {

    private static final String CHANNELS = "java/nio/channels/";
    private static final String HOOK = CHANNELS + "FaultlineHook.";

    @Test
    void theReadAndTheSizeOfKafkasTlsTransferAreSubstitutedAndNothingElse() throws IOException {
        assertSubstituted(SslTransportLayer.class, Map.of("FileChannel.read", "read", "FileChannel.size", "size"));
    }

    @Test
    void theSizeThatFileRecordsAsksForBeforeATransferIsSubstituted() throws IOException {
        List<String> after = calls(KafkaCalls.weave(FileRecords.class.getName(), bytesOf(FileRecords.class)));

        assertThat(after).containsOnlyOnce(HOOK + "plainSize");
    }

    @Test
    void theReadByWhichRecordsAreConvertedDownIsSubstituted() throws IOException {
        List<String> after = calls(KafkaCalls.weave(Utils.class.getName(), bytesOf(Utils.class)));

        assertThat(after).containsOnlyOnce(HOOK + "plainRead");
    }

    @Test
    void aClassThatReadsTheFileInAnotherWayIsRefused() throws IOException {
        byte[] other = bytesOf(KafkaCallsTest.class);

        assertThatIllegalStateException()
                .isThrownBy(() -> KafkaCalls.weave(SslTransportLayer.class.getName(), other))
                .withMessageContaining("transferFrom")
                .withMessageContaining("as in Kafka's releases");
    }

    private static void assertSubstituted(Class<?> type, Map<String, String> substitutes) throws IOException {
        List<String> before = calls(bytesOf(type));
        List<String> after = calls(KafkaCalls.weave(type.getName(), bytesOf(type)));
        List<String> expected = before.stream()
                .map(call -> call.startsWith(CHANNELS) && substitutes.containsKey(call.substring(CHANNELS.length()))
                        ? HOOK + substitutes.get(call.substring(CHANNELS.length()))
                        : call)
                .toList();
        assertThat(after).isEqualTo(expected).isNotEqualTo(before);
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
