package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What Kafka does on a failing disk, and this broker with it where no agent is attached. These tests are the proof that what the
 * agent's tests see go well can go wrong.
 */
@NeedsFailingDisk
class WithoutAgentTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final int RECORDS = 20_000;

    private EmbeddedBroker broker;

    @BeforeEach
    void leaveOneQuarterOfTheSegmentReadable(FailingDisk disk) throws Exception {
        broker = EmbeddedBroker.builder()
                .directories(disk.directory().resolve("data"))
                .tls()
                .start();
        Clients.plaintext(broker).createTopic("t", 1);
        Clients.plaintext(broker).produce(PARTITION, RECORDS, 1_000);
        Path segment = broker.log("t", 0).segmentFiles().get(0).toPath();
        long size = segment.toFile().length();
        disk.poison(segment, size / 4, size - size / 4);
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void plaintextConsumerStallsAndTheDirectoryStaysOnline() {
        try (Consumer<byte[], byte[]> consumer = Clients.plaintext(broker).consumer(PARTITION)) {
            Clients.consume(consumer, 1_000);
            consumeUntilNothingComes(consumer);
            assertThat(consumer.position(PARTITION)).isLessThanOrEqualTo(RECORDS / 4);
        }
        assertThat(broker.offlineDirectories()).isEmpty();
    }

    /** Three seconds are some thirty attempts of the consumer. */
    private static void consumeUntilNothingComes(Consumer<byte[], byte[]> consumer) {
        while (!consumer.poll(Duration.ofSeconds(3)).isEmpty()) {
            assertThat(consumer.position(PARTITION)).isLessThan(RECORDS);
        }
    }

    @Test
    void tlsConsumerReceivesStaleBytesAndTheDirectoryStaysOnline() {
        try (Consumer<byte[], byte[]> consumer = Clients.tls(broker).consumer(PARTITION)) {
            Throwable corrupt = catchThrowable(() -> Clients.consume(consumer, RECORDS));
            assertThat(corrupt).rootCause().hasMessageContaining("Record is corrupt");
            assertThat(consumer.position(PARTITION)).isBetween(1_000L, RECORDS / 4L);
        }
        assertThat(broker.offlineDirectories()).isEmpty();
    }
}
