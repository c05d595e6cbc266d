package io.faultline.classifier;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** Verdicts for those who only pass them on. */
final class Samples {

    private Samples() {}

    static Classification verdict(Verdict verdict, Reason reason) {
        return new Classification(
                verdict,
                reason,
                Hint.MEDIA_ERROR,
                OwnerAction.FED,
                "/data/d1",
                "kafka",
                "/data/d1/topic-0/00000000000000000000.log",
                new Region(4_096, 8_192),
                8_192,
                TargetKind.SOCKET,
                new Mount("/data", "xfs", "/dev/sdc1"),
                new IOException("Broken pipe"),
                new IOException("Input/output error"),
                Instant.ofEpochMilli(1_000),
                Duration.ofMillis(2),
                Duration.ofMillis(3),
                null,
                null);
    }

    static Classification disk() {
        return verdict(Verdict.DISK, Reason.READ_FAILED);
    }
}
