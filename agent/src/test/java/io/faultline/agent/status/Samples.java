package io.faultline.agent.status;

import io.faultline.classifier.Accounts;
import io.faultline.classifier.Mount;
import io.faultline.classifier.OwnerAction;
import io.faultline.classifier.Reason;
import io.faultline.classifier.Region;
import io.faultline.classifier.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Failures, directories and snapshots of them. */
final class Samples {

    static final Instant NOW = Instant.parse("2026-11-30T03:14:07Z");
    static final Mount MOUNT = new Mount("/data/b", "xfs", "/dev/sdc1");

    private static final Region REGION = new Region(16_384, 1_048_576);
    private static final long UNREADABLE_AT = 20_480;

    private Samples() {}

    static SeenFailure disk(String file, OwnerAction action, Instant at) {
        return new SeenFailure(
                at,
                1,
                Verdict.DISK,
                Reason.READ_FAILED,
                action,
                false,
                "/data/b",
                "broker-1",
                file,
                REGION,
                UNREADABLE_AT,
                MOUNT,
                "Input/output error");
    }

    static SeenFailure passing(String file, Instant at) {
        return readable(true, "/data/b", file, at);
    }

    static SeenFailure socket(String file, Instant at) {
        return readable(false, "/data/a", file, at);
    }

    static Directory directory(String path, Directory.State state, SeenFailure why) {
        return new Directory(path, "broker-1", MOUNT, state, true, 0, Duration.ZERO, 0, 0, why);
    }

    static Snapshot snapshot(List<Directory> directories, List<SeenFailure> latest) {
        return snapshot("act", true, 0, directories, latest);
    }

    static Snapshot snapshot(
            String mode, boolean isReady, long errors, List<Directory> directories, List<SeenFailure> latest) {
        return new Snapshot(
                NOW,
                "machine",
                4711,
                "1.0",
                NOW.minusSeconds(60),
                mode,
                mode.equals("off"),
                isReady,
                Map.of("some.Class", isReady),
                directories,
                latest,
                new LastHour().asOf(NOW),
                new Accounts(2, 2, 0, 0, 0, 0),
                errors);
    }

    private static SeenFailure readable(boolean suspectedTransient, String directory, String file, Instant at) {
        return new SeenFailure(
                at,
                1,
                Verdict.SOCKET,
                Reason.REGION_READABLE,
                OwnerAction.NONE,
                suspectedTransient,
                directory,
                "broker-1",
                file,
                REGION,
                -1,
                MOUNT,
                "Broken pipe");
    }
}
