package io.faultline.agent.status;

import static io.faultline.agent.status.Samples.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LastHourTest {

    private static final int LAST = LastHour.MINUTES - 1;

    private final LastHour hour = new LastHour();

    @Test
    void whatHappensNowIsInTheLastMinute() {
        hour.count(Kind.DISK, NOW);
        hour.count(Kind.DISK, NOW);

        assertThat(hour.of(Kind.DISK)).hasSize(LastHour.MINUTES).endsWith(0, 2);
        assertThat(hour.sum(Kind.SOCKET)).isZero();
    }

    @Test
    void minutesMoveOnThoughNothingHappens() {
        hour.count(Kind.DISK, NOW);

        assertThat(hour.asOf(NOW.plus(Duration.ofMinutes(10))).of(Kind.DISK)[LAST - 10])
                .isEqualTo(1);
        assertThat(hour.asOf(NOW.plus(Duration.ofMinutes(59))).of(Kind.DISK)[0]).isEqualTo(1);
        assertThat(hour.asOf(NOW.plus(Duration.ofMinutes(60))).sum(Kind.DISK)).isZero();
    }

    @Test
    void anHourLaterTheMinuteBeginsAnew() {
        hour.count(Kind.DISK, NOW);
        hour.count(Kind.DISK, NOW.plus(Duration.ofHours(1)));

        assertThat(hour.sum(Kind.DISK)).isEqualTo(1);
    }

    @Test
    void aYearLaterEverythingIsForgotten() {
        hour.count(Kind.DISK, NOW);

        assertThat(hour.asOf(NOW.plus(Duration.ofDays(365))).sum(Kind.DISK)).isZero();
    }

    @Test
    void aClockThatIsSetBackLosesNothing() {
        hour.count(Kind.DISK, NOW);
        hour.count(Kind.DISK, NOW.minus(Duration.ofHours(2)));

        assertThat(hour.of(Kind.DISK)).endsWith(2);
    }

    @Test
    void aCopyStandsStill() {
        LastHour copy = hour.asOf(NOW);
        hour.count(Kind.DISK, NOW);

        assertThat(copy.sum(Kind.DISK)).isZero();
    }
}
