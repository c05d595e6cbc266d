package io.faultline.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

@NeedsHungDisk
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HungDiskTest {

    private static final String VANISHED = "Transport endpoint is not connected";

    private final byte[] content = new byte[1 << 20];
    private Path file;
    private FileChannel channel;

    @BeforeEach
    void openFile(HungDisk disk) throws IOException {
        new Random(7).nextBytes(content);
        file = Files.write(disk.directory().resolve("segment"), content);
        channel = FileChannel.open(file);
    }

    @AfterEach
    void closeFile() throws IOException {
        channel.close();
    }

    private byte[] read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4096);
        channel.read(bytes, 0);
        return bytes.array();
    }

    private byte[] firstBlock() {
        return Arrays.copyOf(content, 4096);
    }

    private CompletableFuture<byte[]> readInBackground() {
        CompletableFuture<byte[]> read = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                read.complete(read());
            } catch (IOException e) {
                read.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return read;
    }

    private CompletableFuture<byte[]> hangingRead(HungDisk disk) throws IOException {
        disk.dropCache(file);
        disk.hang();
        CompletableFuture<byte[]> read = readInBackground();
        await().until(() -> disk.waitingCalls() > 0);
        return read;
    }

    @Test
    void aReadHangsUntilTheDiskResumes(HungDisk disk) throws IOException {
        CompletableFuture<byte[]> read = hangingRead(disk);
        assertThat(read).isNotDone();

        disk.resume();

        assertThat(read.join()).isEqualTo(firstBlock());
        await().until(() -> disk.waitingCalls() == 0);
    }

    @Test
    void aHangingReadFailsOnceTheDiskVanishes(HungDisk disk) throws IOException {
        CompletableFuture<byte[]> read = hangingRead(disk);

        disk.vanish();

        assertThatThrownBy(read::join).isInstanceOf(CompletionException.class).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void aVanishedDiskFailsReadsAndTransfers(HungDisk disk) throws IOException {
        disk.dropCache(file);

        disk.vanish();

        assertThatIOException().isThrownBy(this::read).withMessage(VANISHED);
        try (FileChannel nowhere = FileChannel.open(Path.of("/dev/null"), StandardOpenOption.WRITE)) {
            assertThatIOException()
                    .isThrownBy(() -> channel.transferTo(0, 4096, nowhere))
                    .withMessage(VANISHED);
        }
        assertThatIOException()
                .isThrownBy(() -> Files.readAttributes(file, "size"))
                .withMessageContaining(VANISHED);
        assertThat(disk.waitingCalls()).isZero();
    }

    @Test
    void whatIsCachedIsServedByADiskThatHangs(HungDisk disk) throws IOException {
        read();

        disk.hang();

        assertThat(read()).isEqualTo(firstBlock());
    }

    @Test
    void aDiskHangsAgain(HungDisk disk) throws IOException {
        for (int i = 0; i < 3; i++) {
            CompletableFuture<byte[]> read = hangingRead(disk);
            disk.resume();
            assertThat(read.join()).isEqualTo(firstBlock());
        }
    }

    @Test
    void aDiskThatDoesNotAnswerDropsNoCache(HungDisk disk) throws IOException {
        disk.hang();
        assertThatIllegalStateException().isThrownBy(() -> disk.dropCache(file)).withMessage("The disk hangs");
        assertThatIllegalStateException().isThrownBy(disk::hang).withMessage("The disk hangs");

        disk.vanish();
        assertThatIllegalStateException().isThrownBy(() -> disk.dropCache(file)).withMessage("The disk has vanished");
        assertThatIllegalStateException().isThrownBy(disk::resume).withMessage("The disk has vanished");
    }

    @Test
    void closingAHungDiskLetsItsReadersGoOn(HungDisk disk) throws IOException {
        CompletableFuture<byte[]> read = hangingRead(disk);

        disk.close();

        assertThat(read.join()).isEqualTo(firstBlock());
    }

    @Test
    void closingADiskTwiceIsHarmless(HungDisk disk) throws IOException {
        channel.close();

        disk.close();
        disk.close();

        assertThat(disk.directory()).doesNotExist();
    }

    @Test
    void aGivenDirectoryOutlivesItsDisk(@TempDir Path origin) throws IOException {
        try (HungDisk disk = HungDisk.bindfs(origin)) {
            Files.write(disk.directory().resolve("segment"), content);
        }

        assertThat(origin.resolve("segment")).hasBinaryContent(content);
    }

    @Test
    void aMissingDirectoryMakesNoDisk(@TempDir Path folder) throws IOException {
        assertThatIOException().isThrownBy(() -> HungDisk.bindfs(folder.resolve("missing")));
        Path notADirectory = Files.createFile(folder.resolve("file"));
        assertThatIOException().isThrownBy(() -> HungDisk.bindfs(notADirectory)).withMessageContaining("file");
    }
}
