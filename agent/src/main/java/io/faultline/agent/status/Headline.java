package io.faultline.agent.status;

import io.faultline.classifier.Mount;
import io.faultline.classifier.OwnerAction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What an operator has to know first: the worst that there is, in one sentence, the details, and what to do next.
 *
 * @param level how bad it is
 * @param sentence the worst
 * @param details a line for each directory that it is about, and for what is wrong besides
 * @param next what to do, "" for nothing
 */
record Headline(Level level, String sentence, List<String> details, String next) {

    private static final int MOST_DETAILS = 4;

    /** How bad it is. */
    enum Level {
        /** A disk failed. */
        ALARM,
        /** Somebody should look, in the morning. */
        WARNING,
        /** Nobody watches. */
        OFF,
        /** Nothing to do. */
        FINE;

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Headline of(Snapshot now) {
        List<Directory> offline = now.in(Directory.State.OFFLINE);
        List<Directory> failing = now.in(Directory.State.FAILING);
        List<Directory> suspect = now.in(Directory.State.SUSPECT);
        List<String> details = new ArrayList<>();
        offline.forEach(directory -> details.add(ofOffline(directory, now.at())));
        failing.forEach(directory -> details.add(ofFailing(directory, now.at())));
        suspect.forEach(directory -> details.add(ofSuspect(directory, now.at())));
        List<String> ofTheAgent = ofTheAgent(now);
        details.addAll(ofTheAgent);
        if (!offline.isEmpty()) {
            return new Headline(
                    Level.ALARM,
                    count(offline, now) + " offline",
                    shortened(details),
                    offline.stream().anyMatch(Directory::takenOfflineByFaultline)
                            ? "Confirm with the kernel log of the device, replace the disk, restart the server. Runbook: FaultlineDirectoryOffline."
                            : "The server took it offline by itself: its own log says why. Runbook: FaultlineDirectoryOffline.");
        }
        if (!failing.isEmpty()) {
            return new Headline(
                    Level.ALARM,
                    (failing.size() == 1 ? "A disk failed" : failing.size() + " disks failed")
                            + ", nothing was taken offline",
                    shortened(details),
                    "Confirm with the kernel log of the device. In mode observe the decision is yours. Runbook: "
                            + (failing.stream().anyMatch(Headline::wasRefused)
                                    ? "FaultlineActionFailedOrLimited."
                                    : "FaultlineWouldOffline."));
        }
        if (now.isOff()) {
            return new Headline(
                    Level.OFF, "Faultline is off", shortened(List.of("Nothing is woven, so failures go unseen.")), "");
        }
        if (!ofTheAgent.isEmpty() || !suspect.isEmpty()) {
            return new Headline(
                    Level.WARNING,
                    ofTheAgent.isEmpty() ? "A disk is suspect" : "Faultline needs a look",
                    shortened(details),
                    "");
        }
        return new Headline(
                Level.FINE,
                "No disk failure seen",
                List.of(online(now.directories().size())),
                "");
    }

    private static String online(int directories) {
        return switch (directories) {
            case 0 -> "No log directory is known yet.";
            case 1 -> "The log directory is online.";
            default -> "All " + directories + " log directories are online.";
        };
    }

    private static String count(List<Directory> offline, Snapshot now) {
        int all = now.directories().size();
        return offline.size() + " of " + plural(all, "log directory", "log directories")
                + (offline.size() == 1 ? " is" : " are");
    }

    private static String ofOffline(Directory directory, Instant now) {
        return directory.path()
                + device(directory.mount())
                + (directory.takenOfflineByFaultline()
                        ? " was taken offline by Faultline"
                        : " was taken offline by the server")
                + bad(directory, now);
    }

    private static String ofFailing(Directory directory, Instant now) {
        return directory.path() + device(directory.mount()) + " cannot be read and is still online"
                + bad(directory, now);
    }

    private static String ofSuspect(Directory directory, Instant now) {
        SeenFailure last = directory.why();
        String device = directory.path() + device(directory.mount());
        return last == null
                ? device + ": a check hangs for " + Age.lasting(directory.oldest())
                : device + ": a media error " + Age.of(last.at(), now) + " in " + last.shortName()
                        + ", readable again since";
    }

    private static String bad(Directory directory, Instant now) {
        SeenFailure last = directory.why();
        return last == null
                ? ""
                : ": " + last.shortName() + " is unreadable at " + last.unreadableAt() + ", " + Age.of(last.at(), now);
    }

    private static boolean wasRefused(Directory directory) {
        SeenFailure last = directory.why();
        return last != null && last.action() != OwnerAction.OBSERVED && last.action() != OwnerAction.NONE;
    }

    private static List<String> ofTheAgent(Snapshot now) {
        List<String> details = new ArrayList<>();
        if (!now.isReady() && !now.isOff()) {
            details.add("Not woven: failures go unseen. " + notWoven(now.woven()));
        }
        if (now.errors() > 0) {
            details.add(
                    plural(now.errors(), "fault of the agent's own", "faults of the agent's own") + ", see its log.");
        }
        if (now.accounts().dropped() > 0) {
            details.add(plural(now.accounts().dropped(), "failure was", "failures were")
                    + " dropped unchecked, because a queue was full.");
        }
        return details;
    }

    private static String notWoven(Map<String, Boolean> woven) {
        return String.join(
                ", ",
                woven.entrySet().stream()
                        .filter(target -> !target.getValue())
                        .map(Map.Entry::getKey)
                        .toList());
    }

    private static String device(Mount mount) {
        return mount.device().isEmpty() ? "" : " on " + mount.device();
    }

    private static List<String> shortened(List<String> details) {
        if (details.size() <= MOST_DETAILS) {
            return details;
        }
        List<String> first = new ArrayList<>(details.subList(0, MOST_DETAILS));
        first.add("and " + (details.size() - MOST_DETAILS) + " more below");
        return first;
    }

    private static String plural(long count, String one, String several) {
        return count + " " + (count == 1 ? one : several);
    }
}
