package io.faultline.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.apache.kafka.common.network.SslTransportLayer;
import org.junit.jupiter.api.Test;

class KafkasOwnHandlingTest {

    /** What a mended transport layer may look like: no release has one, so this stands for it. */
    private static final class Mended {

        private final ByteBuffer fileChannelBuffer = ByteBuffer.allocate(1);

        long transferFrom(FileChannel channel, long position, long count) throws IOException {
            try {
                fileChannelBuffer.clear();
                return channel.read(fileChannelBuffer, position);
            } catch (IOException failure) {
                fileChannelBuffer.limit(0);
                throw failure;
            }
        }
    }

    @Test
    void theNewestReleaseLeavesItsBufferAsItIsWhereATransferFails() throws IOException {
        assertThat(KafkasOwnHandling.resetsTlsBuffer(bytesOf(SslTransportLayer.class)))
                .isFalse();
    }

    @Test
    void aTransportLayerThatResetsItsBufferIsRecognised() throws IOException {
        assertThat(KafkasOwnHandling.resetsTlsBuffer(bytesOf(Mended.class))).isTrue();
    }

    @Test
    void aHandlerOfFailedTransfersIsRecognisedByItsName() {
        assertThat(KafkasOwnHandling.isTransferFailureHandler("org/apache/kafka/common/network/TransferFailureHandler"))
                .isTrue();
        assertThat(KafkasOwnHandling.isTransferFailureHandler("org/apache/kafka/common/network/TransferableChannel"))
                .isFalse();
        assertThat(KafkasOwnHandling.isTransferFailureHandler("com/acme/TransferFailureHandler"))
                .isFalse();
    }

    private static byte[] bytesOf(Class<?> type) throws IOException {
        try (InputStream in =
                type.getClassLoader().getResourceAsStream(type.getName().replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }
}
