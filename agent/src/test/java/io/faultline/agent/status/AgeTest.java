package io.faultline.agent.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgeTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S,just now",
        "PT-5M,just now",
        "PT59S,59 s ago",
        "PT60S,1 min ago",
        "PT59M59S,59 min ago",
        "PT1H,1 h ago",
        "PT1H5M,1 h 5 min ago",
        "PT23H59M,23 h ago",
        "P1D,1 d ago",
        "P3DT4H,3 d 4 h ago",
        "P40DT4H,40 d ago"
    })
    void inTheUnitsThatAPersonNeeds(Duration age, String text) {
        Instant now = Samples.NOW;
        assertThat(Age.of(now.minus(age), now)).isEqualTo(text);
    }
}
