package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A storm of vanished clients over files that are truncated, renamed and deleted, with a real bad block in its midst. */
@NeedsFailingDisk
@ExtendWith(LeavesNoThread.class)
class BurstTest {

    private static final int SENDERS = 4;
    private static final int SENDS = 400;
    private static final int FILES = 6;
    private static final int SIZE = 256 << 10;
    private static final long BAD = 128 << 10;

    private final Queue<FailedTransfer> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean stormIsOver = new AtomicBoolean();

    /** Opens a file as a host does, plainly or watched. */
    private interface Opener {
        FileChannel open(Path file) throws IOException;
    }

    @Test
    void everyFailureIsAccountedForAndTheBadBlockFound(FailingDisk disk) throws Exception {
        Path[] directories = directories(disk);
        try (RunningClassifier running = started(directories)) {
            storm(disk, running, directories, file -> FileChannel.open(file, StandardOpenOption.READ));
            assertEachGotOneVerdictAtMost(running);
        }
    }

    @Test
    void atMostOneReadRunsInADirectoryAtATime(FailingDisk disk) throws Exception {
        Path[] directories = directories(disk);
        List<ObservedChannel.Gauge> gauges = List.of(new ObservedChannel.Gauge(), new ObservedChannel.Gauge());
        try (RunningClassifier running = started(directories)) {
            storm(
                    disk,
                    running,
                    directories,
                    file -> new ObservedChannel(
                            FileChannel.open(file, StandardOpenOption.READ),
                            gauges.get(file.startsWith(directories[0]) ? 0 : 1)));
            assertEachGotOneVerdictAtMost(running);
            assertThat(gauges).extracting(ObservedChannel.Gauge::most).containsOnly(1);
        }
    }

    private static RunningClassifier started(Path[] directories) {
        return new RunningClassifier(builder -> builder.roots(directories[0].toString(), directories[1].toString())
                .queueCapacity(4_096));
    }

    private static Path[] directories(FailingDisk disk) throws IOException {
        return new Path[] {
            Files.createDirectory(disk.directory().resolve("d0")),
            Files.createDirectory(disk.directory().resolve("d1"))
        };
    }

    private void storm(FailingDisk disk, RunningClassifier running, Path[] directories, Opener opener)
            throws Exception {
        for (Path directory : directories) {
            for (int number = 0; number < FILES; number++) {
                Files.write(directory.resolve("segment" + number), new byte[SIZE]);
            }
        }
        Path bad = Files.write(directories[0].resolve("bad"), new byte[SIZE]);
        disk.poison(bad, BAD, 1);

        ExecutorService threads = Executors.newCachedThreadPool();
        try (Peers peers = new Peers();
                FileChannel channelOfBad = opener.open(bad)) {
            List<Future<?>> senders = new ArrayList<>();
            Future<?> chaos = threads.submit(() -> {
                disturb(directories);
                return null;
            });
            for (int sender = 0; sender < SENDERS; sender++) {
                Random random = new Random(sender);
                senders.add(threads.submit(() -> {
                    send(running, directories, opener, peers, random);
                    return null;
                }));
            }
            RunningClassifier.until("the midst of the storm", () -> submitted.size() > SENDERS * SENDS / 3);
            FailedTransfer ofBad;
            try (SocketChannel reading = peers.reading()) {
                ofBad = Peers.failedTransfer(channelOfBad, bad.toString(), 0, SIZE, reading);
            }
            submit(running, ofBad);
            for (Future<?> sender : senders) {
                sender.get();
            }
            stormIsOver.set(true);
            chaos.get();
            assertThat(running.awaitVerdictOn(ofBad).verdict()).isEqualTo(Verdict.DISK);
            assertThat(running.awaitVerdictOn(ofBad).unreadableAt()).hasValue(BAD);
            running.atRest();
        } finally {
            stormIsOver.set(true);
            threads.shutdown();
        }
    }

    private void submit(RunningClassifier running, FailedTransfer failure) {
        submitted.add(failure);
        running.submit(failure);
    }

    /** Sends regions of the files to peers that have gone. Some hosts close the file then, others keep it open for a while. */
    private void send(RunningClassifier running, Path[] directories, Opener opener, Peers peers, Random random)
            throws IOException {
        List<FileChannel> kept = new ArrayList<>();
        try {
            int sent = 0;
            while (sent < SENDS) {
                Path file = directories[random.nextInt(directories.length)].resolve("segment" + random.nextInt(FILES));
                FileChannel channel;
                try {
                    channel = opener.open(file);
                } catch (NoSuchFileException deletedOrRenamed) {
                    continue;
                }
                kept.add(channel);
                long position = random.nextInt(SIZE / 2);
                long count = 1 + random.nextInt(SIZE / 2 - 1);
                if (channel.size() <= position + count) {
                    continue;
                }
                try (SocketChannel gone = peers.gone()) {
                    channel.transferTo(position, count, gone);
                    continue; // it was truncated meanwhile, and nothing was left to send
                } catch (ClosedChannelException impossible) {
                    throw impossible;
                } catch (IOException failure) {
                    submit(
                            running,
                            FailedTransfer.ofTransfer(channel, file.toString(), position, count, null, failure));
                }
                sent++;
                if (random.nextInt(3) == 0) {
                    channel.close();
                }
            }
        } finally {
            RunningClassifier.until(
                    "checks", () -> running.classifier.accounts().pending() == 0 || stormIsOver.get());
            for (FileChannel channel : kept) {
                channel.close();
            }
        }
    }

    private void disturb(Path[] directories) throws IOException {
        Random random = new Random(4711);
        while (!stormIsOver.get()) {
            Path file = directories[random.nextInt(directories.length)].resolve("segment" + random.nextInt(FILES));
            switch (random.nextInt(3)) {
                case 0 -> {
                    try (FileChannel writer = FileChannel.open(file, StandardOpenOption.WRITE)) {
                        writer.truncate(random.nextInt(SIZE));
                    }
                    Files.write(file, new byte[SIZE]);
                }
                case 1 -> {
                    Files.delete(file);
                    Files.write(file, new byte[SIZE]);
                }
                default -> {
                    Path renamed = file.resolveSibling(file.getFileName() + ".deleted");
                    Files.move(file, renamed);
                    Files.write(file, new byte[SIZE]);
                    Files.delete(renamed);
                }
            }
        }
    }

    private void assertEachGotOneVerdictAtMost(RunningClassifier running) {
        Accounts accounts = running.classifier.accounts();
        assertThat(accounts.handedOver()).isEqualTo(SENDERS * SENDS + 1).isEqualTo(submitted.size());
        assertThat(accounts.verdicts()).isEqualTo(running.verdicts.size()).isGreaterThan(accounts.handedOver() / 2);
        Set<Throwable> judged = Collections.newSetFromMap(new IdentityHashMap<>());
        running.verdicts.forEach(verdict -> judged.add(verdict.transferFailure()));
        assertThat(judged).hasSize(running.verdicts.size());
        assertThat(running.verdicts)
                .filteredOn(verdict -> verdict.verdict() == Verdict.DISK)
                .hasSize(1);
        assertThat(running.classifier.ownErrors()).isZero();
    }
}
