package io.faultline.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@NeedsTruncatedDisk
@Timeout(60)
class PoweredDiskTest {

    private static final long SIZE = 32 << 20;

    @Test
    void whatWasFlushedIsThereAfterAPowerCutAndWhatWasWrittenIsNot() throws IOException {
        try (PoweredDisk disk = PoweredDisk.ext4(SIZE)) {
            Path file = disk.directory().resolve("file");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[5_000]));
                channel.force(true);
                channel.write(ByteBuffer.wrap(new byte[5_000]));
            }
            Path other = Files.write(disk.directory().resolve("other"), new byte[100]);
            try (PoweredDisk after = disk.cutPower()) {
                assertThat(after.directory().resolve("file")).hasSize(5_000);
                assertThat(after.directory().resolve("other")).doesNotExist();
                Files.delete(after.directory().resolve("file"));
            }
            assertThat(file).hasSize(10_000);
            assertThat(other).hasSize(100);
            disk.writeBack();
            try (PoweredDisk after = disk.cutPower()) {
                assertThat(after.directory().resolve("file")).hasSize(10_000);
            }
        }
    }
}
