package io.faultline.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.Layout;
import io.faultline.disk.NeedsFailingDisk;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The demo is what the README promises, so it is a test: with the Java client, over plaintext and TLS, with the agent and without. */
class DemoIT {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    @NeedsFailingDisk
    void everythingTheDemoClaimsHoldsOnAReallyFailingDisk() throws Exception {
        assertThat(run(false)).as(this::output).isTrue();
        assertThat(output())
                .contains("a really failing disk (btrfs")
                .contains("then STALLS")
                .contains("then CORRUPT")
                .contains("then told");
    }

    @Test
    void everythingTheDemoClaimsHoldsWhenTheFailureIsRehearsed() throws Exception {
        assertThat(run(true)).as(this::output).isTrue();
        assertThat(output()).contains("a REHEARSED failure").contains("then told");
    }

    private boolean run(boolean rehearsed) throws Exception {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        return new Demo(Layout.ofThisBuild(), out, rehearsed).run();
    }

    private String output() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
