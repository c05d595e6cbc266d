package io.faultline.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NeedsTruncatedDisk
class TruncatedDiskTest {

    private static final int BLOCK = 4096;
    private static final int CUT = 5 * BLOCK + (1 << 20);

    private final byte[] content = new byte[4 << 20];
    private Path file;

    @BeforeEach
    void writeFile(TruncatedDisk disk) throws IOException {
        new Random(7).nextBytes(content);
        file = Files.write(disk.directory().resolve("segment"), content);
    }

    @Test
    void readingFailsPastTheCutAndSucceedsBeforeIt(TruncatedDisk disk) throws IOException {
        disk.truncate(file, CUT + 1);

        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer read = ByteBuffer.allocate(content.length);
            while (read.position() < CUT) {
                channel.read(read, read.position());
            }
            assertThat(Arrays.copyOf(read.array(), read.position())).isEqualTo(Arrays.copyOf(content, CUT));
            assertThatIOException()
                    .isThrownBy(() -> channel.read(ByteBuffer.allocate(1), CUT))
                    .withMessage("Input/output error");
            assertThatIOException()
                    .isThrownBy(() -> channel.read(ByteBuffer.allocate(1), content.length - 1))
                    .withMessage("Input/output error");
        }
    }

    @Test
    void anAppendPastTheCutIsLostAtTheLatestWhenForced(TruncatedDisk disk) throws IOException {
        disk.truncate(file, CUT);

        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.allocate(1 << 20));
            assertThatIOException().isThrownBy(() -> channel.force(true)).withMessage("Input/output error");
        }
    }

    @Test
    void writingDoesNotMakeThePartPastTheCutReadable(TruncatedDisk disk) throws IOException {
        disk.truncate(file, CUT);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(BLOCK), content.length - BLOCK);
            assertThatIOException().isThrownBy(() -> channel.force(false));
        }

        try (FileChannel channel = FileChannel.open(file)) {
            assertThatIOException().isThrownBy(() -> channel.read(ByteBuffer.allocate(1), CUT));
        }
    }

    @Test
    void aWriterFailsOnceItsDiskIsCut(TruncatedDisk disk) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (FileChannel log = FileChannel.open(file, StandardOpenOption.APPEND)) {
            AtomicInteger appends = new AtomicInteger();
            Future<?> writer = thread.submit(() -> {
                while (true) {
                    log.write(ByteBuffer.allocate(3001));
                    log.force(false);
                    appends.incrementAndGet();
                }
            });
            await().until(() -> appends.get() > 10);

            disk.truncate(file, CUT);

            assertThatThrownBy(() -> writer.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("Input/output error");
        } finally {
            thread.shutdown();
        }
    }

    @Test
    void aRestoredDiskReadsAsBefore(TruncatedDisk disk) throws IOException {
        for (int i = 0; i < 2; i++) {
            disk.truncate(file, CUT);

            disk.restore();

            disk.dropCache(file);
            assertThat(Files.readAllBytes(file)).isEqualTo(content);
        }
    }

    @Test
    void whatIsNotCutIsRestoredInVain(TruncatedDisk disk) throws IOException {
        disk.restore();

        assertThat(Files.readAllBytes(file)).isEqualTo(content);
    }

    @Test
    void aCutDiskIsNotCutAgain(TruncatedDisk disk) throws IOException {
        disk.truncate(file, CUT);

        assertThatIllegalStateException().isThrownBy(() -> disk.truncate(file, 0));
    }

    @Test
    void theCutMustLieWithinTheFile(TruncatedDisk disk) {
        assertThatIllegalArgumentException().isThrownBy(() -> disk.truncate(file, content.length));
        assertThatIllegalArgumentException().isThrownBy(() -> disk.truncate(file, -1));
    }

    @Test
    void aHoleIsNoPlaceForACut(TruncatedDisk disk) throws IOException {
        Path sparse = disk.directory().resolve("sparse");
        try (FileChannel channel = FileChannel.open(sparse, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), 3L << 30);
        }

        assertThatIOException().isThrownBy(() -> disk.truncate(sparse, 0)).withMessageContaining("On no block");
    }

    @Test
    void aDiskTooSmallIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> TruncatedDisk.ext4(1 << 20));
    }
}
