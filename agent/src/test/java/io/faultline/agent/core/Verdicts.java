package io.faultline.agent.core;

import io.faultline.classifier.Classification;
import io.faultline.classifier.Hint;
import io.faultline.classifier.Mount;
import io.faultline.classifier.OwnerAction;
import io.faultline.classifier.Reason;
import io.faultline.classifier.Region;
import io.faultline.classifier.TargetKind;
import io.faultline.classifier.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** Verdicts as they come out of a feed. */
final class Verdicts {

    private Verdicts() {}

    static Classification disk(String owner, String directory, OwnerAction action) {
        return new Classification(
                Verdict.DISK,
                Reason.READ_FAILED,
                Hint.MEDIA_ERROR,
                action,
                directory,
                owner,
                directory + "/segment",
                new Region(0, 8192),
                4096,
                TargetKind.SOCKET,
                new Mount("/data", "xfs", "/dev/sdc1"),
                new IOException("sent"),
                new IOException("read"),
                Instant.EPOCH,
                Duration.ofMillis(1),
                Duration.ofMillis(2),
                null,
                null);
    }
}
