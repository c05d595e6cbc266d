package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a classifier tells of itself beside its verdicts, and which files it leaves alone. */
@ExtendWith(LeavesNoThread.class)
class OperatorsViewTest {

    private static final int SIZE = 10_000;

    @TempDir
    private Path directory;

    private final FailureFeed feed = new FailureFeed();
    private Path file;
    private FileChannel channel;
    private Peers peers;

    @BeforeEach
    void open() throws IOException {
        file = Files.write(directory.resolve("segment"), new byte[SIZE]);
        channel = FileChannel.open(file);
        peers = new Peers();
    }

    @AfterEach
    void close() throws IOException {
        peers.close();
        channel.close();
    }

    @Test
    void theDirectoriesOfOwnersAreToldBeforeAnyFailure() {
        RecordingOwner owner = new RecordingOwner("/one", "/two");
        owner.offline.add("/two");
        feed.register(owner);
        try (RunningClassifier running = new RunningClassifier(feed, builder -> {})) {
            assertThat(running.classifier.ownedDirectories())
                    .containsExactly(
                            new OwnedDirectory("/one", "test-owner", false),
                            new OwnedDirectory("/two", "test-owner", true));
        }
    }

    @Test
    void anOwnerThatBlocksHidesNoOther() {
        CountDownLatch released = new CountDownLatch(1);
        feed.register(new RecordingOwner("/blocked") {
            @Override
            public Collection<String> directories() {
                try {
                    released.await();
                } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                }
                return super.directories();
            }
        });
        feed.register(new RecordingOwner("/other"));
        try (RunningClassifier running = new RunningClassifier(feed, builder -> {})) {
            assertThat(running.classifier.ownedDirectories())
                    .extracting(OwnedDirectory::path)
                    .containsExactly("/other");
            released.countDown();
        }
    }

    @Test
    void failuresOfFilesThatAreNotToBeCheckedAreSkippedAndCounted() throws IOException {
        try (RunningClassifier running =
                new RunningClassifier(feed, builder -> builder.only(name -> !name.equals(file.toString())))) {
            running.submit(peers.failedSend(channel, file.toString(), 0, SIZE));

            Accounts accounts = running.atRest();

            assertThat(accounts).isEqualTo(new Accounts(1, 0, 0, 0, 1, 0));
            assertThat(running.classifier.excluded()).isEqualTo(1);
        }
    }

    @Test
    void eachReReadIsToldWhenItBeginsAndHowItEnds() throws IOException {
        List<String> told = new CopyOnWriteArrayList<>();
        CheckObserver observer = (where, name, region) -> {
            told.add("begun " + where + " " + name + " " + region.position() + "+" + region.count());
            return (outcome, position, failure) -> told.add("ended " + outcome + " " + position + " " + failure);
        };
        try (RunningClassifier running = new RunningClassifier(
                feed, builder -> builder.roots(directory.toString()).checks(observer))) {
            running.verdictOn(peers.failedSend(channel, file.toString(), 0, SIZE));
        }

        assertThat(told)
                .containsExactly("begun " + directory + " " + file + " 0+" + SIZE, "ended readable " + SIZE + " null");
    }

    @Test
    void anObserverThatThrowsHarmsNoCheck() throws IOException {
        CheckObserver throwing = (where, name, region) -> {
            throw new AssertionError("an observer that fails");
        };
        try (RunningClassifier running = new RunningClassifier(feed, builder -> builder.checks(throwing))) {
            assertThat(running.verdictOn(peers.failedSend(channel, file.toString(), 0, SIZE))
                            .reason())
                    .isEqualTo(Reason.REGION_READABLE);
        }
    }
}
