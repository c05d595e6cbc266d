package io.faultline.bench.demo;

import io.faultline.bench.broker.BrokerProcess;
import io.faultline.bench.host.Trees;
import io.faultline.disk.DiskTools;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.TruncatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A directory in which the tail of a file can be made unreadable, by the best means that the machine has. */
abstract class FailingDirectory implements AutoCloseable {

    /** The best kind that can be had here. */
    static FailingDirectory make(boolean rehearsed) throws IOException {
        if (!rehearsed && DiskTools.missingForFailingDisk().isEmpty()) {
            return new BadBlocks();
        }
        if (!rehearsed && DiskTools.missingForTruncatedDisk().isEmpty()) {
            return new CutDevice();
        }
        return new Rehearsed();
    }

    /** What it is, for the reader of the demo. */
    abstract String description();

    abstract Path directory();

    /** Makes a file unreadable from a position on. */
    abstract void fail(BrokerProcess broker, Path file, long position) throws IOException, InterruptedException;

    /** Whether the failure is only played, in the JVM of the broker. */
    boolean isRehearsed() {
        return false;
    }

    @Override
    public abstract void close() throws IOException;

    private static final class BadBlocks extends FailingDirectory {
        private static final long SIZE = 400L << 20;
        private final FailingDisk disk = FailingDisk.btrfs(SIZE);

        private BadBlocks() throws IOException {}

        @Override
        String description() {
            return "a really failing disk (btrfs on a loop device; the kernel finds wrong checksums and answers EIO)";
        }

        @Override
        Path directory() {
            return disk.directory();
        }

        @Override
        void fail(BrokerProcess broker, Path file, long position) throws IOException {
            disk.poison(file, position, Files.size(file) - position);
        }

        @Override
        public void close() throws IOException {
            disk.close();
        }
    }

    private static final class CutDevice extends FailingDirectory {
        private final TruncatedDisk disk = TruncatedDisk.ext4();

        private CutDevice() throws IOException {}

        @Override
        String description() {
            return "a really failing disk (ext4 on a loop device that ends too early; the kernel answers EIO)";
        }

        @Override
        Path directory() {
            return disk.directory();
        }

        @Override
        void fail(BrokerProcess broker, Path file, long position) throws IOException {
            disk.truncate(file, position);
        }

        @Override
        public void close() throws IOException {
            disk.close();
        }
    }

    private static final class Rehearsed extends FailingDirectory {
        private final Path directory = Files.createTempDirectory("faultline-demo-disk");

        private Rehearsed() throws IOException {}

        @Override
        String description() {
            List<String> missing = DiskTools.missingForTruncatedDisk();
            return "a REHEARSED failure: the agent makes reads fail in the broker's JVM"
                    + (missing.isEmpty()
                            ? ""
                            : ". For a disk that really fails this lacks: " + String.join(", ", missing));
        }

        @Override
        Path directory() {
            return directory;
        }

        @Override
        void fail(BrokerProcess broker, Path file, long position) throws IOException, InterruptedException {
            broker.agent()
                    .run(
                            "rehearse",
                            file.toString(),
                            Long.toString(position),
                            Long.toString(Files.size(file) - position));
        }

        @Override
        boolean isRehearsed() {
            return true;
        }

        @Override
        public void close() throws IOException {
            Trees.delete(directory);
        }
    }
}
