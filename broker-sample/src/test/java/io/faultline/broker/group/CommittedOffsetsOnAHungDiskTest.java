package io.faultline.broker.group;

import static io.faultline.broker.GroupRequests.join;
import static io.faultline.broker.GroupRequests.sync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.log.LogDirectories;
import io.faultline.disk.HungDisk;
import io.faultline.disk.NeedsHungDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a commit that takes long, and of what happens to its group meanwhile. */
@NeedsHungDisk
class CommittedOffsetsOnAHungDiskTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final short NEEDS_NO_ID = 0;
    private static final GroupClient CLIENT = new GroupClient("client", "127.0.0.1");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final List<Thread> committing = new ArrayList<>();
    private HungDisk disk;
    private LogDirectories directories;
    private CommittedOffsets offsets;
    private GroupCoordinator groups;

    @BeforeEach
    void start() throws IOException {
        disk = HungDisk.bindfs();
        Path data = Files.createDirectory(disk.directory().resolve("data"));
        directories = new LogDirectories(List.of(data.toString()));
        offsets = new CommittedOffsets(directories.all());
        offsets.load();
        groups = new GroupCoordinator(new GroupConfig(0, 50, 60_000, 3, 10), offsets, timer);
        groups.commit("g", "", null, -1, at(1));
    }

    @AfterEach
    void stop() throws Exception {
        disk.close();
        for (Thread thread : committing) {
            thread.join(PATIENCE.toMillis());
        }
        timer.shutdownNow();
        offsets.discard();
    }

    @Test
    void commitsThatWaitAreKeptInTheOrderInWhichTheyCame() throws Exception {
        disk.hang();
        hangIn(() -> groups.commit("g", "", null, -1, at(2)));
        for (int offset = 3; offset <= 6; offset++) {
            long next = offset;
            awaitTurn(() -> groups.commit("g", "", null, -1, at(next)));
        }
        disk.resume();
        awaitAll();
        assertThat(offsets.of("g")).isEqualTo(at(6));
    }

    @Test
    void theNextGenerationBeginsWhenWhatThisOneCommitsIsKept() throws Exception {
        String first = get(joinLater(join("g", ""))).memberId();
        groups.sync(sync("g", first, 1, first), assigned -> {});
        disk.hang();
        hangIn(() -> groups.commit("g", first, null, 1, at(2)));

        CompletableFuture<JoinGroupResponseData> second = joinLater(join("g", ""));
        CompletableFuture<JoinGroupResponseData> again = joinLater(join("g", first));
        assertThat(second).isNotDone();
        assertThat(again).isNotDone();
        assertThat(Errors.forException(catchThrowable(() -> groups.commit("g", first, null, 1, at(3)))))
                .isEqualTo(Errors.REBALANCE_IN_PROGRESS);

        disk.resume();
        assertThat(get(second).generationId()).isEqualTo(2);
        assertThat(offsets.of("g")).isEqualTo(at(2));
        assertThat(get(again).generationId()).isEqualTo(2);
        awaitAll();
    }

    @Test
    void aGroupThatIsCommittedToWhileItIsDeletedLivesOn() throws Exception {
        disk.hang();
        hangIn(() -> groups.delete("g"));
        awaitTurn(() -> groups.commit("g", "", null, -1, at(2)));
        disk.resume();
        awaitAll();
        assertThat(offsets.of("g")).isEqualTo(at(2));
        assertThat(groups.describe("g")).isPresent();
    }

    @Test
    void aGroupThatIsJoinedWhileItIsDeletedHasItsMemberAndNoOffsets() throws Exception {
        disk.hang();
        hangIn(() -> groups.delete("g"));
        CompletableFuture<Map<TopicPartition, CommittedOffset>> found = new CompletableFuture<>();
        groups.join(join("g", ""), NEEDS_NO_ID, CLIENT, joined -> found.complete(offsets.of("g")));
        disk.resume();
        assertThat(found.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
        awaitAll();
        assertThat(groups.describe("g").orElseThrow().members()).hasSize(1);
    }

    @Test
    void aFlushThatFailsTakesItsDirectoryOffline() throws Exception {
        disk.vanish();
        offsets.flush();
        assertThat(directories.failures().offline()).isEqualTo(Set.copyOf(directories.all()));
    }

    /** Begins a change that is held up by the disk. */
    private void hangIn(Runnable change) {
        begin(change);
        await().atMost(PATIENCE).until(() -> disk.waitingCalls() > 0);
    }

    /** Begins a change that is held up by one that hangs. */
    private void awaitTurn(Runnable change) {
        Thread thread = begin(change);
        await().atMost(PATIENCE)
                .until(() -> Set.of(Thread.State.WAITING, Thread.State.BLOCKED).contains(thread.getState()));
    }

    private Thread begin(Runnable change) {
        Thread thread = new Thread(change, "committing-" + committing.size());
        committing.add(thread);
        thread.start();
        return thread;
    }

    private void awaitAll() throws InterruptedException {
        for (Thread thread : committing) {
            thread.join(PATIENCE.toMillis());
            assertThat(thread.isAlive()).isFalse();
        }
    }

    private CompletableFuture<JoinGroupResponseData> joinLater(JoinGroupRequestData request) {
        CompletableFuture<JoinGroupResponseData> answer = new CompletableFuture<>();
        groups.join(request, NEEDS_NO_ID, CLIENT, answer::complete);
        return answer;
    }

    private static JoinGroupResponseData get(CompletableFuture<JoinGroupResponseData> answer) throws Exception {
        return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static Map<TopicPartition, CommittedOffset> at(long offset) {
        return Map.of(PARTITION, new CommittedOffset(offset, 0, "", 0));
    }
}
