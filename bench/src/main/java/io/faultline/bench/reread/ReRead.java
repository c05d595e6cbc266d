package io.faultline.bench.reread;

import io.faultline.bench.Layout;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.measure.Comparison;
import io.faultline.bench.measure.CpuTime;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Length;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.classifier.Rereads;
import io.faultline.disk.ColdDisk;
import io.faultline.disk.DiskTools;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * How fast the classifier reads a region again, beside a loop with a heap buffer: from the page cache by the processor's time, which is all it takes there, and from a disk by the clock.
 */
@Command(
        name = "re-read",
        description = {
            "how fast a region is read again, from the page cache and cold, beside a loop with a heap buffer",
            "64 KiB, 1 MiB and 8 MiB: microseconds of processor time from the page cache, microseconds by the clock from a disk that has nothing of it cached.",
            "It must reach: at least 1.5 times as fast as the loop at 1 MiB and more from the page cache; at least 0.95 times as fast cold, which is not slower within what can be seen of a disk."
        },
        mixinStandardHelpOptions = true)
public final class ReRead extends Experiment {

    private static final double LEAST_FASTER = 1.5;

    /** Not slower, within what one can see of a disk. */
    private static final double NOT_SLOWER = 0.95;

    private static final int LARGEST = 8 << 20;
    private static final int MEBIBYTE = 1 << 20;
    private static final long COLD_DISK = 64L << 20;
    private static final int BATCHES = 6;
    private static final double NANOS_PER_MICRO = 1e3;

    private enum Side {
        CLASSIFIER,
        HEAP_LOOP
    }

    private enum Size {
        SIXTY_FOUR_KIB("64 KiB", 64 << 10),
        ONE_MIB("1 MiB", MEBIBYTE),
        EIGHT_MIB("8 MiB", LARGEST);

        private final String spelled;
        private final int bytes;

        Size(String spelled, int bytes) {
            this.spelled = spelled;
            this.bytes = bytes;
        }

        /** How many reads make a batch of a few milliseconds. */
        int reads() {
            return LARGEST / bytes;
        }
    }

    /** Something that reads a region from the beginning of a file. */
    @FunctionalInterface
    private interface Reader {
        void read(FileChannel file, long count) throws IOException;
    }

    @Mixin
    private final Length length = new Length(50);

    /** Made by the command line. */
    public ReRead() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        byte[] content = new byte[LARGEST];
        new Random(1).nextBytes(content);
        Rereads rereads = new Rereads();
        HeapLoop heap = new HeapLoop();
        Map<Side, Reader> readers = new LinkedHashMap<>();
        readers.put(Side.CLASSIFIER, (file, count) -> rereads.read(file, 0, count));
        readers.put(Side.HEAP_LOOP, (file, count) -> heap.read(file, 0, count));
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-re-read")) {
            cached(Files.write(folder.path().resolve("segment"), content), readers, report);
        }
        List<String> missing = DiskTools.missingForPoweredDisk();
        if (missing.isEmpty()) {
            cold(content, readers, report);
        } else {
            report.say("nothing is read cold, for that is missing: %s", String.join(", ", missing));
        }
    }

    private void cached(Path path, Map<Side, Reader> readers, Report report) throws Exception {
        try (FileChannel file = FileChannel.open(path)) {
            Rounds<Side> rounds = length.of(
                    Interleaved.ofAll(Side.CLASSIFIER, () -> leastMicros(file, readers.get(Side.CLASSIFIER)))
                            .withAll(Side.HEAP_LOOP, () -> leastMicros(file, readers.get(Side.HEAP_LOOP))),
                    3,
                    0.5);
            show(rounds, "from the page cache, processor time", LEAST_FASTER, MEBIBYTE, report);
        }
    }

    private void cold(byte[] content, Map<Side, Reader> readers, Report report) throws Exception {
        try (ColdDisk disk = ColdDisk.ext4(COLD_DISK)) {
            Path path = Files.write(disk.directory().resolve("segment"), content);
            try (FileChannel file = FileChannel.open(path)) {
                Rounds<Side> rounds = length.of(
                        Interleaved.ofAll(
                                        Side.CLASSIFIER,
                                        () -> coldMicros(disk, path, file, readers.get(Side.CLASSIFIER)))
                                .withAll(
                                        Side.HEAP_LOOP,
                                        () -> coldMicros(disk, path, file, readers.get(Side.HEAP_LOOP))),
                        1,
                        0.5);
                show(rounds, "cold, by the clock", NOT_SLOWER, 0, report);
            }
        }
    }

    private static void show(Rounds<Side> rounds, String how, double least, int from, Report report) {
        Table table = new Table(List.of("the classifier, us", "heap buffer of 32 KiB, us"));
        List<Figure> figures = new ArrayList<>();
        for (Size size : Size.values()) {
            // Of the classifier, so that the ratio is how many times as fast it is.
            Comparison comparison = rounds.compare(Side.HEAP_LOOP, size.spelled);
            table.row(
                    size.spelled,
                    List.of(
                            String.format("%.1f", comparison.base().median()),
                            String.format("%.1f", comparison.candidate().median())));
            if (size.bytes >= from) {
                figures.add(Figure.of(size.spelled + ", " + how, "x", Target.atLeast(least), comparison.ratio()));
            }
        }
        report.table("A region read again " + how + ", medians", table);
        report.figures("How many times as fast as the loop, " + how, figures);
    }

    /** Of some batches the one that was disturbed least. */
    private static Map<String, Double> leastMicros(FileChannel file, Reader reader) throws Exception {
        Map<String, Double> values = new LinkedHashMap<>();
        for (int batch = 0; batch < BATCHES; batch++) {
            for (Size size : Size.values()) {
                double nanos = CpuTime.of(() -> {
                    for (int read = 0; read < size.reads(); read++) {
                        reader.read(file, size.bytes);
                    }
                });
                values.merge(size.spelled, nanos / NANOS_PER_MICRO / size.reads(), Math::min);
            }
        }
        return values;
    }

    private static Map<String, Double> coldMicros(ColdDisk disk, Path path, FileChannel file, Reader reader)
            throws IOException {
        Map<String, Double> values = new LinkedHashMap<>();
        for (Size size : Size.values()) {
            disk.makeCold(path);
            long began = System.nanoTime();
            reader.read(file, size.bytes);
            values.put(size.spelled, (System.nanoTime() - began) / NANOS_PER_MICRO);
        }
        return values;
    }
}
