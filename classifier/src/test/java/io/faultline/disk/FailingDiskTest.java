package io.faultline.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FailingDiskTest {

    @Test
    void aPoisonedBlockFailsUntilItIsHealed() throws Exception {
        try (FailingDisk disk = FailingDisk.btrfs()) {
            Path file = disk.directory().resolve("segment");
            byte[] content = new byte[1 << 20];
            new Random(1).nextBytes(content);
            Files.write(file, content);

            disk.poison(file, 512 << 10, 1);
            try (FileChannel channel = FileChannel.open(file)) {
                assertThat(channel.read(ByteBuffer.allocate(1 << 20), 0)).isEqualTo(512 << 10);
                assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1), 512 << 10))
                        .isInstanceOf(IOException.class)
                        .hasMessage("Input/output error");
            }

            disk.healAll();
            assertThat(Files.readAllBytes(file)).isEqualTo(content);
        }
    }
}
