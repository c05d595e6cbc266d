package io.faultline.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

@NeedsFailingDisk
class FailingDiskTest {

    private static final int BLOCK = FailingDisk.BLOCK_SIZE;
    private static final int MIB = 1 << 20;

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        return content;
    }

    private static Path write(FailingDisk disk, String name, byte[] content) throws IOException {
        return Files.write(disk.directory().resolve(name), content);
    }

    private static byte[] read(Path file, long position, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            while (bytes.hasRemaining() && channel.read(bytes, position + bytes.position()) > 0) {
                // on to the next part
            }
            return Arrays.copyOf(bytes.array(), bytes.position());
        }
    }

    private static void assertUnreadable(Path file, long position) {
        assertThatIOException()
                .as("position %s", position)
                .isThrownBy(() -> read(file, position, 1))
                .withMessage("Input/output error");
    }

    private static void assertOnlyUnreadable(Path file, byte[] content, int from, int to) throws IOException {
        for (int position = from; position < to; position += BLOCK) {
            assertUnreadable(file, position);
            assertUnreadable(file, position + BLOCK - 1);
        }
        assertThat(read(file, 0, from)).isEqualTo(Arrays.copyOf(content, from));
        assertThat(read(file, to, content.length - to)).isEqualTo(Arrays.copyOfRange(content, to, content.length));
    }

    @Test
    void onlyThePoisonedBlockCannotBeReadAtAPosition(FailingDisk disk) throws IOException {
        byte[] content = content(2 * MIB);
        Path file = write(disk, "segment", content);

        disk.poison(file, MIB + 100, 1);

        assertOnlyUnreadable(file, content, MIB, MIB + BLOCK);
    }

    @Test
    void readingThroughEndsAtThePoisonedBlock(FailingDisk disk) throws IOException {
        byte[] content = content(2 * MIB);
        Path file = write(disk, "segment", content);

        disk.poison(file, MIB, 1);

        try (InputStream stream = Files.newInputStream(file)) {
            assertThat(stream.readNBytes(MIB)).isEqualTo(Arrays.copyOf(content, MIB));
            assertThatIOException().isThrownBy(stream::read).withMessage("Input/output error");
        }
    }

    @Test
    void aTransferSendsTheBlocksBeforeThePoisonedOneAndThenFails(FailingDisk disk) throws IOException {
        Path file = write(disk, "segment", content(2 * MIB));
        disk.poison(file, MIB, 1);

        try (Connection connection = new Connection();
                FileChannel channel = FileChannel.open(file)) {
            assertThat(channel.transferTo(MIB - 40 * 1024, MIB, connection.sender))
                    .isEqualTo(40 * 1024);
            assertThatIOException()
                    .isThrownBy(() -> channel.transferTo(MIB, MIB, connection.sender))
                    .withMessage("Input/output error");
            assertThat(channel.transferTo(MIB + BLOCK, BLOCK, connection.sender))
                    .isEqualTo(BLOCK);
        }
    }

    @Test
    void aRegionPoisonsEveryBlockThatItTouches(FailingDisk disk) throws IOException {
        byte[] content = content(2 * MIB);
        Path file = write(disk, "segment", content);

        disk.poison(file, MIB + BLOCK - 1, 2 * BLOCK);

        assertOnlyUnreadable(file, content, MIB, MIB + 3 * BLOCK);
    }

    @Test
    void poisonedRegionsMayTouchAndOverlap(FailingDisk disk) throws IOException {
        byte[] content = content(2 * MIB);
        Path file = write(disk, "segment", content);

        disk.poison(file, MIB, BLOCK);
        disk.poison(file, MIB + BLOCK, BLOCK);
        disk.poison(file, MIB, 3 * BLOCK);

        assertOnlyUnreadable(file, content, MIB, MIB + 3 * BLOCK);
    }

    @Test
    void aFileOfManyExtentsIsPoisonedInOnePass(FailingDisk disk) throws IOException {
        byte[] content = content(8 * MIB);
        Path file = disk.directory().resolve("segment");
        Path other = disk.directory().resolve("other");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileChannel between = FileChannel.open(other, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int position = 0; position < content.length; position += 16 * BLOCK) {
                channel.write(ByteBuffer.wrap(content, position, 16 * BLOCK));
                channel.force(false);
                between.write(ByteBuffer.wrap(content, position, BLOCK));
                between.force(false);
            }
        }
        assertThat(FileExtent.of(file)).hasSizeGreaterThan(100);

        disk.poison(file, MIB, 6 * MIB);

        assertOnlyUnreadable(file, content, MIB, 7 * MIB);
    }

    @Test
    void blocksOfTheSameContentAreToldApart(FailingDisk disk) throws IOException {
        byte[] content = new byte[MIB];
        Path file = write(disk, "segment", content);
        Path twin = write(disk, "twin", content);

        disk.poison(file, 10 * BLOCK, BLOCK);

        assertOnlyUnreadable(file, content, 10 * BLOCK, 11 * BLOCK);
        assertThat(read(twin, 0, MIB)).isEqualTo(content);
    }

    @Test
    void aFileOfAFewBytesCanBePoisoned(FailingDisk disk) throws IOException {
        Path file = write(disk, "checkpoint", content(20));

        disk.poison(file, 0, 20);

        assertUnreadable(file, 0);
    }

    @Test
    void theLastBlockOfAFileNeedNotBeFull(FailingDisk disk) throws IOException {
        byte[] content = content(MIB + 10);
        Path file = write(disk, "segment", content);

        disk.poison(file, MIB + 9, 1);

        assertUnreadable(file, MIB);
        assertThat(read(file, 0, MIB)).isEqualTo(Arrays.copyOf(content, MIB));
    }

    @Test
    void aBlockBeyondTwoGibibytesIsPoisoned(FailingDisk disk) throws IOException {
        long position = 7L << 30;
        byte[] content = content(3 * BLOCK);
        Path file = disk.directory().resolve("segment");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(content), position);
        }

        disk.poison(file, position + BLOCK, BLOCK);

        assertThat(read(file, position - BLOCK, BLOCK)).containsOnly(0);
        assertThat(read(file, position, BLOCK)).isEqualTo(Arrays.copyOf(content, BLOCK));
        assertUnreadable(file, position + BLOCK);
        assertThat(read(file, position + 2 * BLOCK, BLOCK))
                .isEqualTo(Arrays.copyOfRange(content, 2 * BLOCK, 3 * BLOCK));
    }

    @Test
    void aHoleCannotBePoisoned(FailingDisk disk) throws IOException {
        Path file = disk.directory().resolve("segment");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(content(BLOCK)), 0);
            channel.write(ByteBuffer.wrap(content(BLOCK)), 2 * BLOCK);
        }

        assertThatIOException()
                .isThrownBy(() -> disk.poison(file, 0, 3 * BLOCK))
                .withMessageContaining("hole")
                .withMessageContaining("position " + BLOCK);

        assertThat(read(file, 0, 3 * BLOCK)).hasSize(3 * BLOCK);
    }

    @Test
    void aRegionMustLieWithinTheFile(FailingDisk disk) throws IOException {
        Path file = write(disk, "segment", content(MIB));

        assertThatIllegalArgumentException().isThrownBy(() -> disk.poison(file, 0, MIB + 1));
        assertThatIllegalArgumentException().isThrownBy(() -> disk.poison(file, MIB, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> disk.poison(file, 1, Long.MAX_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> disk.poison(file, -1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> disk.poison(file, 0, 0));
    }

    @Test
    void aBlockIsPoisonedWhileAWriterAppends(FailingDisk disk) throws Exception {
        Path file = disk.directory().resolve("segment");
        byte[] record = content(3001);
        AtomicBoolean goOn = new AtomicBoolean(true);
        AtomicInteger records = new AtomicInteger();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?> writer = thread.submit(() -> {
                try (FileChannel log = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                    while (goOn.get() && records.get() < 100_000) {
                        log.write(ByteBuffer.wrap(record));
                        records.incrementAndGet();
                    }
                    return null;
                }
            });
            for (int number = 1; number <= 5; number++) {
                int enough = 1000 * number;
                Awaitility.await().until(() -> records.get() > enough);

                disk.poison(file, number * MIB / 2, 3 * BLOCK);

                assertUnreadable(file, number * MIB / 2 + BLOCK);
            }
            int before = records.get();
            Awaitility.await().until(() -> records.get() > before + 1000 || records.get() == 100_000);
            goOn.set(false);
            writer.get();

            disk.healAll();
        } finally {
            goOn.set(false);
            thread.shutdown();
        }
        byte[] written = Files.readAllBytes(file);
        assertThat(written).hasSize(records.get() * record.length);
        for (int number = 0; number < records.get(); number++) {
            int position = number * record.length;
            assertThat(Arrays.equals(written, position, position + record.length, record, 0, record.length))
                    .as("record %s", number)
                    .isTrue();
        }
    }

    @Test
    void aBlockIsPoisonedWhileItIsRead(FailingDisk disk) throws Exception {
        Path file = write(disk, "segment", content(2 * MIB));
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (FileChannel channel = FileChannel.open(file)) {
            AtomicInteger reads = new AtomicInteger();
            Future<?> reader = thread.submit(() -> {
                while (true) {
                    channel.read(ByteBuffer.allocate(2 * BLOCK), MIB);
                    reads.incrementAndGet();
                }
            });
            Awaitility.await().until(() -> reads.get() > 100);

            disk.poison(file, MIB, BLOCK);

            assertThatThrownBy(reader::get).hasRootCauseMessage("Input/output error");
        } finally {
            thread.shutdown();
        }
    }

    @Test
    void whatWaitsInASocketsQueueKeepsItsBlockReadable(FailingDisk disk) throws IOException {
        byte[] content = content(MIB);
        Path file = write(disk, "segment", content);
        try (Connection connection = new Connection();
                FileChannel channel = FileChannel.open(file)) {
            channel.transferTo(0, 2 * BLOCK, connection.sender);

            assertThatIOException()
                    .isThrownBy(() -> disk.poison(file, 0, 1))
                    .withMessageContaining("held in memory")
                    .withMessageContaining("position 0");
        }
        disk.dropCache(file);
        assertThat(read(file, 0, MIB)).isEqualTo(content);
    }

    @Test
    void aHealedRegionReadsAsBefore(FailingDisk disk) throws IOException {
        byte[] content = content(2 * MIB);
        Path file = write(disk, "segment", content);
        disk.poison(file, MIB, 10 * BLOCK);

        disk.heal(file, MIB, 4 * BLOCK);
        assertOnlyUnreadable(file, content, MIB + 4 * BLOCK, MIB + 10 * BLOCK);

        disk.heal(file, MIB + 5 * BLOCK, Long.MAX_VALUE);
        assertOnlyUnreadable(file, content, MIB + 4 * BLOCK, MIB + 5 * BLOCK);

        disk.healAll();
        assertThat(read(file, 0, content.length)).isEqualTo(content);
    }

    @Test
    void aBlockCanBePoisonedAgainAfterHealing(FailingDisk disk) throws IOException {
        byte[] content = content(MIB);
        Path file = write(disk, "segment", content);
        for (int i = 0; i < 3; i++) {
            disk.poison(file, 0, 1);
            assertUnreadable(file, 0);
            disk.heal(file, 0, 1);
            assertThat(read(file, 0, MIB)).isEqualTo(content);
        }
    }

    @Test
    void aRenamedFileIsHealed(FailingDisk disk) throws IOException {
        byte[] content = content(MIB);
        Path file = write(disk, "segment", content);
        disk.poison(file, 0, 1);
        Path renamed = Files.move(file, disk.directory().resolve("segment.deleted"));
        assertUnreadable(renamed, 0);

        disk.heal(renamed, 0, 1);

        assertThat(read(renamed, 0, MIB)).isEqualTo(content);
    }

    @Test
    void healingLeavesWhatTookThePlaceOfADeletedFileAlone() throws IOException {
        try (FailingDisk disk = FailingDisk.btrfs(128L * MIB)) {
            Path deleted = write(disk, "deleted", content(60 * MIB));
            disk.poison(deleted, 0, 30 * MIB);
            Files.delete(deleted);
            Command.run("sync", "-f", disk.directory());
            byte[] content = content(59 * MIB);
            Path file = write(disk, "segment", content);
            Command.run("sync", "-f", disk.directory());

            disk.healAll();
            disk.dropCache(file);

            assertThat(read(file, 0, content.length)).isEqualTo(content);
        }
    }

    @Test
    void disksFailEachOnItsOwn(FailingDisk left, FailingDisk right) throws IOException {
        byte[] content = content(MIB);
        Path leftFile = write(left, "segment", content);
        Path rightFile = write(right, "segment", content);

        left.poison(leftFile, 0, BLOCK);
        right.poison(rightFile, 2 * BLOCK, BLOCK);

        assertOnlyUnreadable(leftFile, content, 0, BLOCK);
        assertOnlyUnreadable(rightFile, content, 2 * BLOCK, 3 * BLOCK);
        left.healAll();
        assertThat(read(leftFile, 0, MIB)).isEqualTo(content);
        assertUnreadable(rightFile, 2 * BLOCK);
    }

    @Test
    void aDiskTooSmallIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> FailingDisk.btrfs(MIB));
    }

    /** A connection over loopback whose receiver reads nothing. */
    private static final class Connection implements AutoCloseable {

        private final SocketChannel sender;
        private final SocketChannel receiver;

        Connection() throws IOException {
            try (ServerSocketChannel server = ServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                sender = SocketChannel.open(server.getLocalAddress());
                receiver = server.accept();
            }
        }

        @Override
        public void close() throws IOException {
            sender.close();
            receiver.close();
        }
    }
}
