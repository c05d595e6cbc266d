package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.disk.NeedsTruncatedDisk;
import io.faultline.disk.TruncatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a region is read, in calls to the channel. What real disks answer, the tests of the bad block show. */
class RegionReaderTest {

    private static final int BLOCK = 4_096;
    private static final int PIECE = 128 << 10;
    private static final int FIRST_PIECE = 32 << 10;

    @TempDir
    private Path directory;

    private final List<Long> reads = new ArrayList<>();

    private ReadOutcome read(FileChannel channel, long position, long count) {
        return new RegionReader()
                .read(channel, new Region(position, count), new ReadBudget(() -> 1L << 40), read -> {}, () -> false);
    }

    private Path file(int size) throws IOException {
        return Files.write(directory.resolve("segment"), new byte[size]);
    }

    /** Notes where reads begin and answers some of them as no file on this machine's own disk would. */
    private class Odd extends ObservedChannel {

        Odd(Path file) throws IOException {
            super(file);
        }

        @Override
        void beforeRead(long position) throws IOException {
            reads.add(position);
        }
    }

    @Test
    void readsBeginAtBlocksAndGrowToWholePieces() throws Exception {
        try (FileChannel channel = new Odd(file(300_000))) {
            assertThat(read(channel, 5_000, 295_000).end()).isEqualTo(ReadOutcome.End.READABLE);
        }
        assertThat(reads)
                .containsExactly(
                        (long) BLOCK,
                        (long) BLOCK + FIRST_PIECE,
                        (long) BLOCK + FIRST_PIECE + 2 * FIRST_PIECE,
                        (long) BLOCK + FIRST_PIECE + 2 * FIRST_PIECE + PIECE);
    }

    @Test
    void anEmptyRegionIsReadable() throws Exception {
        try (FileChannel channel = new Odd(file(10))) {
            assertThat(read(channel, 0, 0).end()).isEqualTo(ReadOutcome.End.READABLE);
        }
        assertThat(reads).isEmpty();
    }

    @Test
    void shortReadsAreGoneOnWith() throws Exception {
        try (FileChannel channel = new Odd(file(20_000)) {
            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                return super.read(target.limit(1_000), position);
            }
        }) {
            assertThat(read(channel, 0, 20_000).end()).isEqualTo(ReadOutcome.End.READABLE);
        }
        assertThat(reads).hasSize(20);
    }

    @Test
    void aRefusedPositionBehindAShortReadIsNoFailureOfTheDisk() throws Exception {
        // As a channel for direct I/O does where the file has an odd end.
        try (FileChannel channel = new Odd(file(10_000)) {
            @Override
            void beforeRead(long position) throws IOException {
                if (position % BLOCK != 0) {
                    throw new IOException("not a multiple of the block size");
                }
            }
        }) {
            assertThat(read(channel, 0, 20_000)).isEqualTo(new ReadOutcome(ReadOutcome.End.END_OF_FILE, 10_000, null));
            assertThat(read(channel, 0, 10_000).end()).isEqualTo(ReadOutcome.End.READABLE);
        }
    }

    @Test
    void aPieceThatFailsAsAWholeIsGoneThroughBlockByBlock() throws Exception {
        long bad = 10 * BLOCK;
        try (FileChannel channel = new Odd(file(300_000)) {
            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                if (position <= bad && bad < position + target.remaining()) {
                    throw new IOException("at block " + position / BLOCK);
                }
                return super.read(target, position);
            }
        }) {
            ReadOutcome outcome = read(channel, 0, 300_000);
            assertThat(outcome.end()).isEqualTo(ReadOutcome.End.FAILED);
            assertThat(outcome.position()).isEqualTo(bad);
            assertThat(outcome.failure()).hasMessage("at block 10");
        }
    }

    @Test
    void aPieceThatFailedOnceHasFailedThoughItsBlocksCanBeRead() throws Exception {
        IOException once = new IOException("once");
        try (FileChannel channel = new Odd(file(300_000)) {
            @Override
            void beforeRead(long position) throws IOException {
                super.beforeRead(position);
                if (reads.size() == 2) {
                    throw once;
                }
            }
        }) {
            ReadOutcome outcome = read(channel, 100, 299_900);
            assertThat(outcome).isEqualTo(new ReadOutcome(ReadOutcome.End.FAILED, FIRST_PIECE, once));
        }
    }

    @Test
    void aClosedChannelIsNoFailure() throws Exception {
        FileChannel channel = FileChannel.open(file(10_000));
        channel.close();
        assertThat(read(channel, 100, 100)).isEqualTo(new ReadOutcome(ReadOutcome.End.CLOSED, 100, null));
    }

    @Test
    void aMarkOnTheThreadDoesNotCloseTheChannel() throws Exception {
        try (FileChannel channel = FileChannel.open(file(10_000))) {
            Thread.currentThread().interrupt();
            assertThat(read(channel, 0, 10_000).end()).isEqualTo(ReadOutcome.End.READABLE);
            assertThat(channel.isOpen()).isTrue();
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Test
    void anAbandonedReadEndsBetweenPieces() throws Exception {
        try (FileChannel channel = new Odd(file(300_000))) {
            ReadOutcome outcome = new RegionReader()
                    .read(
                            channel,
                            new Region(0, 300_000),
                            new ReadBudget(() -> 1L << 40),
                            read -> {},
                            () -> reads.size() == 1);
            assertThat(outcome.end()).isEqualTo(ReadOutcome.End.ABANDONED);
        }
        assertThat(reads).hasSize(1);
    }

    @Test
    @NeedsTruncatedDisk
    void theFirstUnreadableBlockOfALargeFolioIsFound(TruncatedDisk disk) throws Exception {
        Path segment = Files.write(disk.directory().resolve("segment"), new byte[4 << 20]);
        long cut = (1 << 20) + 5 * BLOCK;
        disk.truncate(segment, cut);
        try (FileChannel channel = FileChannel.open(segment)) {
            ReadOutcome outcome = read(channel, (1 << 20) - 1_000, 1 << 20);
            assertThat(outcome.end()).isEqualTo(ReadOutcome.End.FAILED);
            assertThat(outcome.position()).isEqualTo(cut);
            assertThat(outcome.failure()).hasMessage("Input/output error");
            assertThat(read(channel, 0, cut).end()).isEqualTo(ReadOutcome.End.READABLE);
        }
    }
}
