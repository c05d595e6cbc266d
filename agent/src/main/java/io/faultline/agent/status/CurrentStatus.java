package io.faultline.agent.status;

import io.faultline.agent.core.DirectoryWatch;
import io.faultline.agent.metrics.AgentFigures;
import io.faultline.agent.weave.Weaver;
import io.faultline.classifier.DirectoryStatus;
import io.faultline.classifier.FailureClassifier;
import io.faultline.classifier.OwnerAction;
import io.faultline.classifier.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Puts together what the status page shows. Asks no owner and touches no disk, so it cannot hang with one. */
public final class CurrentStatus {

    private static final String OFF = "off";
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final Duration NEWS = Duration.ofHours(1);
    private static final Duration STUCK = Duration.ofSeconds(30);

    /** How long an owner, and whoever looks at it, may take to show that it did as it was told. */
    private static final Duration UNDER_WAY = Duration.ofSeconds(10);

    private final AgentFigures figures;
    private final DirectoryWatch watch;
    private final FailureClassifier classifier;
    private final SeenFailures seen;
    private final Instant since = Instant.now();

    /**
     * Makes one.
     *
     * @param figures how the agent is set
     * @param watch what is known of the directories that owners claim
     * @param classifier how the checks stand
     * @param seen what has failed
     */
    public CurrentStatus(AgentFigures figures, DirectoryWatch watch, FailureClassifier classifier, SeenFailures seen) {
        this.figures = figures;
        this.watch = watch;
        this.classifier = classifier;
        this.seen = seen;
    }

    /**
     * Says whether failures are seen: transfers are woven. Kafka's own classes are not asked for, since many a broker never loads them.
     *
     * @return true if so
     */
    public boolean isReady() {
        return figures.isWoven(Weaver.FILE_CHANNEL) && !figures.isInForce(OFF);
    }

    /**
     * Looks at everything.
     *
     * @return what there is now
     */
    public Snapshot look() {
        Instant now = Instant.now();
        Map<String, Boolean> woven = new LinkedHashMap<>();
        figures.targets().forEach(target -> woven.put(target, figures.isWoven(target)));
        return new Snapshot(
                now,
                hostName(),
                ProcessHandle.current().pid(),
                figures.version(),
                since,
                figures.modes().stream().filter(figures::isInForce).findFirst().orElse(OFF),
                figures.isInForce(OFF),
                isReady(),
                woven,
                directories(now),
                seen.latest(),
                seen.lastHour(now),
                classifier.accounts(),
                figures.parts().stream().mapToLong(figures::errors).sum());
    }

    private List<Directory> directories(Instant now) {
        List<DirectoryStatus> checks = classifier.directories();
        List<Directory> all = new ArrayList<>();
        for (DirectoryWatch.Watched watched : watch.all()) {
            all.add(directory(watched.path(), watched, checks, now));
        }
        Set<String> claimed = all.stream().map(Directory::path).collect(Collectors.toSet());
        checks.stream()
                .map(each -> each.directory().path())
                .filter(path -> !path.isEmpty() && !claimed.contains(path))
                .distinct()
                .forEach(path -> all.add(directory(path, null, checks, now)));
        all.sort(Comparator.comparing(Directory::state)); // stable: as they were found
        return all;
    }

    /** A directory that may be claimed or, where watched is null, not. */
    private Directory directory(
            String path, DirectoryWatch.Watched watched, List<DirectoryStatus> allChecks, Instant now) {
        List<DirectoryStatus> checks = allChecks.stream()
                .filter(each -> each.directory().path().equals(path))
                .toList();
        Duration oldest = checks.stream()
                .map(DirectoryStatus::oldest)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        SeenFailure disk = recent(seen.lastIn(path, Kind.DISK), now);
        SeenFailure passing = recent(seen.lastIn(path, Kind.TRANSIENT), now);
        Directory.State state = Directory.State.ONLINE;
        SeenFailure why = null;
        boolean fed = disk != null && disk.action() == OwnerAction.FED;
        if (watched != null && watched.offlineBy() != null || fed && isUnderWay(disk, now)) {
            state = Directory.State.OFFLINE;
            why = seen.lastIn(path, Kind.DISK);
        } else if (watched != null && watched.wouldBeOffline() || disk != null && isUndone(disk)) {
            state = Directory.State.FAILING;
            why = disk;
        } else if (passing != null || oldest.compareTo(STUCK) > 0) {
            state = Directory.State.SUSPECT;
            why = passing;
        }
        return new Directory(
                path,
                watched != null ? watched.owner() : disk != null ? disk.owner() : null, // before the first look
                classifier.mountOf(path),
                state,
                watched != null && watched.offlineBy() == DirectoryWatch.By.FAULTLINE || fed,
                checks.stream().mapToLong(DirectoryStatus::pending).sum(),
                oldest,
                checks.stream().mapToLong(CurrentStatus::diskVerdicts).sum(),
                checks.stream().mapToLong(DirectoryStatus::suspectedTransient).sum(),
                why);
    }

    private static SeenFailure recent(SeenFailure seen, Instant now) {
        return seen != null && Duration.between(seen.at(), now).compareTo(NEWS) < 0 ? seen : null;
    }

    private static boolean isUnderWay(SeenFailure disk, Instant now) {
        return Duration.between(disk.at(), now).compareTo(UNDER_WAY) < 0;
    }

    /** Whether the directory can be online because of what was not done. One that was taken offline, and is online, was brought back. */
    private static boolean isUndone(SeenFailure disk) {
        return disk.action() != OwnerAction.FED && disk.action() != OwnerAction.ALREADY;
    }

    private static long diskVerdicts(DirectoryStatus checks) {
        return checks.verdicts().entrySet().stream()
                .filter(outcome -> outcome.getKey().verdict() == Verdict.DISK)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Not the network's name for it: asking for that may wait for a name server. */
    private static String hostName() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException | RuntimeException notLinux) {
            return "";
        }
    }
}
