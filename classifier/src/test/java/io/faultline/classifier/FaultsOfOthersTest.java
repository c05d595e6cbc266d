package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Schedulers, channels, mappings, owners, policies and listeners that throw, block or leave marks: the next check always runs. */
@ExtendWith(LeavesNoThread.class)
class FaultsOfOthersTest {

    private static final int SIZE = 300_000;

    @TempDir
    private Path directory;

    private final CountDownLatch release = new CountDownLatch(1);
    private Path file;
    private FileChannel channel;
    private Peers peers;

    @BeforeEach
    void writeFile() throws IOException {
        file = Files.write(directory.resolve("segment"), new byte[SIZE]);
        channel = FileChannel.open(file);
        peers = new Peers();
    }

    @AfterEach
    void close() throws IOException {
        release.countDown();
        peers.close();
        channel.close();
    }

    private FailedTransfer failedSend() throws IOException {
        return peers.failedSend(channel, file.toString(), 0, SIZE);
    }

    private FailedTransfer failingDisk() throws IOException {
        FileChannel failing = FileChannel.open(directory); // whose read really fails
        failing.close(); // but this one will do: the read that failed by itself is all that is needed
        return FailedTransfer.ofRead(failing, file.toString(), 0, SIZE, new IOException("Is a directory"));
    }

    private void block() {
        boolean released = false;
        while (!released) {
            try {
                release.await();
                released = true;
            } catch (InterruptedException stranger) {
                throw new AssertionError("nobody interrupts a thread of Faultline's", stranger);
            }
        }
    }

    @Test
    void aSchedulerThatRefusesIsAskedAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (RunningClassifier running = new RunningClassifier(builder -> builder.scheduler(check -> {
            if (asked.incrementAndGet() <= 2) {
                throw new RejectedExecutionException("no thread to spare");
            }
            FaultlineThreads.start("check", check);
        }))) {
            assertThat(running.verdictOn(failedSend()).verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(asked).hasValue(3);
            assertThat(running.atRest()).isEqualTo(new Accounts(1, 1, 0, 0, 0, 0));
        }
    }

    @Test
    void aSchedulerThatEndsInAnErrorIsAskedAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (RunningClassifier running = new RunningClassifier(builder -> builder.scheduler(check -> {
            if (asked.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            FaultlineThreads.start("check", check);
        }))) {
            assertThat(running.verdictOn(failedSend()).verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(running.classifier.ownErrors()).isZero();
        }
    }

    @Test
    void anErrorInsideACheckFreesTheSlotAndSaysNothingAboutTheFile() throws Exception {
        try (RunningClassifier running = new RunningClassifier();
                FileChannel broken = new ObservedChannel(file) {
                    @Override
                    void beforeRead(long position) {
                        throw new StackOverflowError("deep inside a check");
                    }
                }) {
            Classification verdict = running.verdictOn(peers.failedSend(broken, file.toString(), 0, SIZE));
            assertThat(verdict.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
            assertThat(verdict.reason()).isEqualTo(Reason.CHECK_FAILED);
            assertThat(running.verdictOn(failedSend()).verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(running.atRest()).isEqualTo(new Accounts(2, 2, 0, 0, 0, 0));
        }
    }

    @Test
    void anErrorInACheckOfManyLosesNoneOfThem() throws Exception {
        GatedChannel held = new GatedChannel(file);
        try (RunningClassifier running = new RunningClassifier();
                held;
                FileChannel broken = new ObservedChannel(file) {
                    @Override
                    void beforeRead(long position) {
                        throw new IllegalStateException("not an IOException");
                    }
                }) {
            running.submit(peers.failedSend(held, file.toString(), 0, SIZE));
            held.awaitRead();
            List<FailedTransfer> failures = new ArrayList<>();
            for (int send = 0; send < 20; send++) {
                failures.add(peers.failedSend(broken, file.toString(), send, SIZE - send));
            }
            failures.forEach(running::submit);
            held.open();
            for (FailedTransfer failure : failures) {
                assertThat(running.awaitVerdictOn(failure).reason()).isEqualTo(Reason.CHECK_FAILED);
            }
            assertThat(running.atRest()).isEqualTo(new Accounts(21, 21, 0, 0, 0, 0));
        }
    }

    @Test
    void aMappingThatEndsInAnErrorCostsTheDirectoryOnly() throws Exception {
        try (RunningClassifier running = new RunningClassifier(builder -> builder.mapping(name -> {
            throw new NoClassDefFoundError("a class of the mapping");
        }))) {
            Classification verdict = running.verdictOn(failedSend());
            assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(verdict.directory()).isEmpty();
            assertThat(running.classifier.ownErrors()).isOne();
        }
    }

    @Test
    void aNameThatIsNoPathCostsTheDirectoryOnly() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            Classification verdict = running.verdictOn(peers.failedSend(channel, "no\0path", 0, SIZE));
            assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(running.classifier.ownErrors()).isZero();
        }
    }

    @Test
    void aPolicyThatThrowsLeavesTheDirectoryAlone() throws Exception {
        RecordingOwner owner = new RecordingOwner(directory.toString());
        try (RunningClassifier running = new RunningClassifier(builder -> builder.policy((who, what) -> {
            throw new IllegalStateException("a policy that cannot decide");
        }))) {
            running.feed.register(owner);
            assertThat(running.verdictOn(failingDisk()).action()).isEqualTo(OwnerAction.ERROR);
            assertThat(owner.told).isEmpty();
        }
    }

    @Test
    void aPolicyThatObservesLeavesTheDirectoryAlone() throws Exception {
        RecordingOwner owner = new RecordingOwner(directory.toString());
        try (RunningClassifier running = new RunningClassifier(builder -> builder.policy(ActionPolicy.OBSERVE))) {
            running.feed.register(owner);
            assertThat(running.verdictOn(failingDisk()).action()).isEqualTo(OwnerAction.OBSERVED);
            assertThat(owner.told).isEmpty();
        }
    }

    /** What an owner may be asked. */
    private enum Method {
        NAME,
        DIRECTORIES,
        IS_OFFLINE,
        TAKE_OFFLINE
    }

    /** An owner that is well while it is registered, and fails in one of its methods from then on. */
    private static final class FailingOwner extends RecordingOwner {

        private final Method method;
        private final Runnable fault;
        private volatile boolean failing;

        FailingOwner(String directory, Method method, Runnable fault) {
            super(directory);
            this.method = method;
            this.fault = fault;
        }

        private void called(Method called) {
            if (failing && called == method) {
                fault.run();
            }
        }

        @Override
        public String name() {
            called(Method.NAME);
            return super.name();
        }

        @Override
        public Collection<String> directories() {
            called(Method.DIRECTORIES);
            return super.directories();
        }

        @Override
        public boolean isOffline(String directory) {
            called(Method.IS_OFFLINE);
            return super.isOffline(directory);
        }

        @Override
        public OwnerAction takeOffline(String directory, Classification why) {
            called(Method.TAKE_OFFLINE);
            told.add(why);
            return OwnerAction.FED; // and not offline yet, or the rest would be skipped
        }
    }

    @ParameterizedTest
    @EnumSource
    void anOwnerThatThrowsLosesNothing(Method method) throws Exception {
        FailingOwner owner = new FailingOwner(directory.toString(), method, () -> {
            throw new NoSuchMethodError("an owner's own fault");
        });
        try (RunningClassifier running = new RunningClassifier()) {
            running.feed.register(owner);
            owner.failing = true;
            assertThat(running.verdictOn(failedSend()).verdict()).isEqualTo(Verdict.SOCKET);
            Classification verdict = running.verdictOn(failingDisk());
            assertThat(verdict.verdict()).isEqualTo(Verdict.DISK);
            if (method == Method.DIRECTORIES) { // never told its directories, so it claims none
                assertThat(verdict.owner()).isNull();
            } else {
                assertThat(verdict.owner()).isEqualTo(method == Method.NAME ? "owner" : "test-owner");
                assertThat(verdict.action())
                        .isEqualTo(method == Method.TAKE_OFFLINE ? OwnerAction.ERROR : OwnerAction.FED);
            }
            assertThat(running.atRest()).isEqualTo(new Accounts(2, 2, 0, 0, 0, 0));
            assertThat(running.classifier.ownErrors()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void anOwnerThatBlocksHoldsUpNobody(Method method) throws Exception {
        Path other = Files.createDirectory(directory.resolve("other"));
        Path blocked = Files.createDirectory(directory.resolve("blocked"));
        Path fileOfOther = Files.write(other.resolve("segment"), new byte[10]);
        CountDownLatch reached = new CountDownLatch(1);
        FailingOwner owner = new FailingOwner(blocked.toString(), method, () -> {
            reached.countDown();
            block();
        });
        RecordingOwner good = new RecordingOwner(other.toString());
        RunningClassifier running = new RunningClassifier();
        try (FileChannel channelOfOther = FileChannel.open(fileOfOther)) {
            running.feed.register(owner);
            running.feed.register(good);
            String file = blocked.resolve("segment").toString();
            owner.failing = method == Method.NAME;
            // While it is well, it says what it claims.
            running.verdictOn(peers.failedSend(channel, file, 0, SIZE));
            owner.failing = true;
            RunningClassifier.until("the owner blocks", () -> {
                running.submit(FailedTransfer.ofRead(channel, file, 0, 1, new IOException("seen")));
                return reached.getCount() == 0;
            });
            List<FailedTransfer> failures = new ArrayList<>();
            for (int send = 0; send < 10; send++) {
                failures.add(FailedTransfer.ofRead(channel, file, send, 1, new IOException("seen" + send)));
                failures.add(peers.failedSend(channel, file, send, 10));
            }
            failures.forEach(running::submit);
            FailedTransfer ofOther = FailedTransfer.ofRead(
                    channelOfOther, fileOfOther.toString(), 0, 1, new IOException("of the other"));
            Classification verdict = running.verdictOn(ofOther);
            assertThat(verdict.action()).isEqualTo(OwnerAction.FED);
            for (FailedTransfer failure : failures) {
                running.awaitVerdictOn(failure);
            }
            running.atRest();
            assertThat(running.classifier.ownErrors()).isZero();
        } finally {
            running.classifier.close();
            release.countDown();
            running.close();
        }
    }

    @Test
    void aListenerThatThrowsHarmsNeitherTheCheckNorOthers() throws Exception {
        try (RunningClassifier running = new RunningClassifier()) {
            List<Classification> seen = new ArrayList<>();
            FailureListener throwing = verdict -> {
                throw new LinkageError("a listener's own fault");
            };
            try (Subscription actor = running.feed.act("throwing", throwing);
                    Subscription observer = running.feed.observe("throwing", throwing);
                    Subscription later = running.feed.act("later", seen::add)) {
                running.verdictOn(failedSend());
                running.verdictOn(failedSend());
                running.atRest();
                assertThat(seen).hasSize(2);
                assertThat(actor.lost() + observer.lost() + later.lost()).isZero();
            }
        }
    }

    @Test
    void anActorThatBlocksIsWaitedForOnceAndHoldsUpNobody() throws Exception {
        RunningClassifier running = new RunningClassifier();
        List<Classification> handled = new ArrayList<>();
        try (Subscription blocking = running.feed.act("blocking", verdict -> {
            block();
            handled.add(verdict);
        })) {
            long began = System.nanoTime();
            for (int send = 0; send < 20; send++) {
                running.verdictOn(failedSend());
            }
            running.atRest();
            // Were it waited for each time, this would take 20 times its patience.
            assertThat(System.nanoTime() - began)
                    .isLessThan(FailureFeed.PATIENCE.multipliedBy(10).toNanos());
            release.countDown();
            RunningClassifier.until("all handled", () -> handled.size() == 20);
            assertThat(blocking.lost()).isZero();
        } finally {
            running.close();
        }
    }

    @Test
    void anObserverThatBlocksHoldsUpNobody() throws Exception {
        RunningClassifier running = new RunningClassifier();
        List<Classification> handled = new ArrayList<>();
        try (Subscription blocking = running.feed.observe("blocking", verdict -> {
            block();
            handled.add(verdict);
        })) {
            for (int send = 0; send < 5; send++) {
                running.verdictOn(failedSend());
            }
            release.countDown();
            RunningClassifier.until("all handled", () -> handled.size() == 5);
            assertThat(blocking.lost()).isZero();
        } finally {
            running.close();
        }
    }

    @Test
    void aMarkThatAListenerLeavesHarmsNoChannel() throws Exception {
        try (RunningClassifier running =
                        new RunningClassifier(builder -> builder.descriptors(HostDescriptors.unknown()));
                Subscription marking = running.feed.act(
                        "marking", verdict -> Thread.currentThread().interrupt())) {
            running.feed.register(new RecordingOwner(directory.toString()) {
                @Override
                public boolean isOffline(String asked) {
                    Thread.currentThread().interrupt();
                    return super.isOffline(asked);
                }
            });
            for (int send = 0; send < 5; send++) {
                assertThat(running.verdictOn(failedSend()).verdict()).isEqualTo(Verdict.SOCKET);
            }
            assertThat(running.verdictOn(failingDisk()).action()).isEqualTo(OwnerAction.FED);
            assertThat(channel.isOpen()).isTrue();
            assertThat(marking.lost()).isZero();
        }
    }

    @Test
    void aMarkOnTheThreadOfACheckDoesNotCloseTheHostsChannel() throws Exception {
        RecordingOwner owner = new RecordingOwner(directory.toString());
        try (RunningClassifier running = new RunningClassifier(builder -> builder.descriptors(HostDescriptors.unknown())
                .scheduler(check -> FaultlineThreads.start("check", () -> {
                    Thread.currentThread().interrupt();
                    check.run();
                })))) {
            running.feed.register(owner);
            assertThat(running.verdictOn(failedSend()).verdict()).isEqualTo(Verdict.SOCKET);
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    void aMarkOnTheThreadThatSortsDoesNotMakeItSpin() throws Exception {
        LogDirectory mapped = new LogDirectory(directory.toString(), null);
        try (RunningClassifier running = new RunningClassifier(builder -> builder.mapping(name -> {
            Thread.currentThread().interrupt();
            return mapped;
        }))) {
            running.verdictOn(failedSend());
            Thread drain = LeavesNoThread.threads().stream()
                    .filter(thread -> thread.getName().equals("faultline-drain"))
                    .findFirst()
                    .orElseThrow();
            RunningClassifier.until("parked", () -> drain.getState() == Thread.State.TIMED_WAITING);
            assertThat(drain.isInterrupted()).isFalse();
        }
    }

    @Test
    void afterTheClassifierIsClosedNobodyIsToldAnyMore() throws Exception {
        RecordingOwner owner = new RecordingOwner(directory.toString());
        GatedChannel held = new GatedChannel(file);
        RunningClassifier running = new RunningClassifier();
        try (held) {
            running.feed.register(owner);
            running.submit(peers.failedSend(held, file.toString(), 0, SIZE));
            held.awaitRead();
            running.classifier.close();
            running.submit(failingDisk());
            held.open();
        } finally {
            running.close();
        }
        assertThat(running.atRest()).isEqualTo(new Accounts(2, 0, 0, 2, 0, 0));
        assertThat(running.verdicts).isEmpty();
        assertThat(owner.told).isEmpty();
    }

    @Test
    void threadsTakeOverNothingOfWhoeverMakesThem() throws Exception {
        GatedChannel held = new GatedChannel(file);
        try (RunningClassifier running = new RunningClassifier();
                held) {
            running.feed.register(new RecordingOwner(directory.toString()));
            running.submit(peers.failedSend(held, file.toString(), 0, SIZE));
            held.awaitRead();
            assertThat(LeavesNoThread.threads()).hasSizeGreaterThanOrEqualTo(3).allSatisfy(thread -> {
                assertThat(thread.isDaemon()).isTrue();
                assertThat(thread.getContextClassLoader()).isNull();
                assertThat(thread.getThreadGroup().getParent()).isNull();
            });
            held.open();
            running.atRest();
        }
    }
}
