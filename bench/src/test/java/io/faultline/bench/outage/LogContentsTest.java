package io.faultline.bench.outage;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.subject.Payload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LogContentsTest {

    private static final int SENDER = 1;

    @Test
    void aLogInOrderHasNeitherDuplicatesNorReorderings() {
        LogContents log = log(0, 1, 2, 5);

        assertThat(log.duplicates(SENDER)).isZero();
        assertThat(log.reorderings(SENDER)).isZero();
    }

    @Test
    void aBatchThatIsThereTwiceIsDuplicatesAndNoReordering() {
        LogContents log = log(23, 24, 23, 24, 25);

        assertThat(log.duplicates(SENDER)).isEqualTo(2);
        assertThat(log.reorderings(SENDER)).isZero();
    }

    @Test
    void aRecordBehindALaterOneIsOutOfOrder() {
        LogContents log = log(0, 2, 1, 3);

        assertThat(log.duplicates(SENDER)).isZero();
        assertThat(log.reorderings(SENDER)).isEqualTo(1);
    }

    @Test
    void bytesThatNobodySentAreCorrupt() {
        Map<Long, Payload> partition = new HashMap<>();
        partition.put(0L, Payload.decode(new byte[100]));

        assertThat(new LogContents(List.of(partition)).corrupt()).isEqualTo(1);
    }

    @Test
    void aRecordInAnotherPartitionThanItWasSentToIsCorrupt() {
        assertThat(new LogContents(List.of(Map.of(0L, new Payload(SENDER, 1, 0)))).corrupt())
                .isEqualTo(1);
    }

    @Test
    void aPayloadOfWhichABitWasFlippedIsNone() {
        byte[] bytes = new Payload(SENDER, 2, 3).encode();
        assertThat(Payload.decode(bytes)).isEqualTo(new Payload(SENDER, 2, 3));

        bytes[50] ^= 1;

        assertThat(Payload.decode(bytes)).isNull();
    }

    private static LogContents log(long... numbers) {
        Map<Long, Payload> partition = new HashMap<>();
        for (int offset = 0; offset < numbers.length; offset++) {
            partition.put((long) offset, new Payload(SENDER, 0, numbers[offset]));
        }
        return new LogContents(List.of(partition));
    }
}
