package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RegionTest {

    @Test
    void aTransferAttemptsNoMoreThanTheJdkDoes() {
        assertThat(Region.attempted(5, Long.MAX_VALUE)).isEqualTo(new Region(5, (1L << 31) - 1));
        assertThat(Region.attempted(5, 1L << 31)).isEqualTo(new Region(5, (1L << 31) - 1));
        assertThat(Region.attempted(5, 7)).isEqualTo(new Region(5, 7));
        assertThat(Region.attempted(-5, -7)).isEqualTo(new Region(0, 0));
    }

    @Test
    void theEndIsSaturated() {
        assertThat(new Region(Long.MAX_VALUE - 1, 10).end()).isEqualTo(Long.MAX_VALUE);
        assertThat(new Region(Long.MAX_VALUE - 10, 10).end()).isEqualTo(Long.MAX_VALUE);
        Region cover = new Region(Long.MAX_VALUE - 5, 10).cover(new Region(0, 1));
        assertThat(cover).isEqualTo(new Region(0, Long.MAX_VALUE));
    }

    @Test
    void negativeNumbersAreNoRegion() {
        assertThatThrownBy(() -> new Region(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Region(0, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void regionsMeetThatOverlapOrTouch() {
        Region middle = new Region(100, 50);
        assertThat(middle.meets(new Region(0, 100))).isTrue();
        assertThat(middle.meets(new Region(150, 1))).isTrue();
        assertThat(middle.meets(new Region(120, 1))).isTrue();
        assertThat(middle.meets(new Region(0, 99))).isFalse();
        assertThat(middle.meets(new Region(151, 1))).isFalse();
    }
}
