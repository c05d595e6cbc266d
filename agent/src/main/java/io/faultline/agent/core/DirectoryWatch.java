package io.faultline.agent.core;

import io.faultline.classifier.Classification;
import io.faultline.classifier.OwnedDirectory;
import io.faultline.classifier.OwnerAction;
import io.faultline.classifier.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What is known of the directories that owners claim: which are offline, by whom, and which would be if the agent were allowed to act. Looked at by housekeeping, so at most a
 * second or two old.
 */
public final class DirectoryWatch {

    /** How long a verdict that was not acted upon is shown. A consumer that stalls asks for the same region again and again, so a disk that stays bad shows for as long. */
    private static final long SHOWN_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final int MOST_DIRECTORIES = 256;

    private final Map<String, Entry> entries = new LinkedHashMap<>();

    /** Who took a directory offline. */
    public enum By {
        /** The agent, with a verdict. */
        FAULTLINE,
        /** The server, for reasons of its own. */
        OWNER
    }

    /**
     * A directory as of the last look.
     *
     * @param path the directory in its owner's spelling
     * @param owner the owner's name
     * @param offlineBy who took it offline, or null if it is online
     * @param wouldBeOffline whether there was a verdict that its disk failed which the agent was not allowed to act upon
     */
    public record Watched(String path, String owner, By offlineBy, boolean wouldBeOffline) {}

    /**
     * What is new.
     *
     * @param found directories that were not known before
     * @param wentOffline directories that are offline since the last look
     */
    record Looked(List<String> found, List<Watched> wentOffline) {}

    private static final class Entry {
        /** What the owner said, null while it has not been asked. */
        private OwnedDirectory last;

        private boolean fed;
        private boolean seenOfflineSince;
        private boolean held;
        private long heldNanos;

        private boolean isHeld() {
            return held && System.nanoTime() - heldNanos < SHOWN_NANOS;
        }
    }

    /**
     * Takes in what the owners say.
     *
     * @param owned every directory that is claimed now
     * @return what is new
     */
    synchronized Looked look(List<OwnedDirectory> owned) {
        List<String> news = new ArrayList<>();
        List<Watched> wentOffline = new ArrayList<>();
        List<String> now = new ArrayList<>();
        for (OwnedDirectory each : owned) {
            now.add(each.path());
            Entry entry = entries.get(each.path());
            if (entry == null) {
                if (entries.size() >= MOST_DIRECTORIES) {
                    continue;
                }
                entry = new Entry();
                entries.put(each.path(), entry);
            }
            if (entry.last == null) {
                news.add(each.path());
            }
            boolean wasOffline = entry.last != null && entry.last.offline();
            entry.last = each;
            if (each.offline() && !wasOffline) {
                wentOffline.add(new Watched(each.path(), each.owner(), offlineBy(entry), false));
            }
            if (each.offline()) {
                entry.seenOfflineSince = true;
                entry.held = false;
            } else if (entry.seenOfflineSince) { // it came back: what was done before says nothing about what comes
                entry.seenOfflineSince = false;
                entry.fed = false;
            }
        }
        entries.keySet().retainAll(now);
        return new Looked(news, wentOffline);
    }

    /** Takes in what became of a verdict. */
    synchronized void told(Classification verdict) {
        if (verdict.verdict() != Verdict.DISK || verdict.owner() == null) {
            return;
        }
        Entry entry = entries.get(verdict.directory());
        if (entry == null) {
            if (entries.size() >= MOST_DIRECTORIES) {
                return;
            }
            entry = new Entry();
            entries.put(verdict.directory(), entry);
        }
        if (verdict.action() == OwnerAction.FED) {
            entry.fed = true;
            entry.held = false;
        } else if (verdict.action() == OwnerAction.OBSERVED || verdict.action() == OwnerAction.LIMITED) {
            entry.held = true;
            entry.heldNanos = System.nanoTime();
        }
    }

    /**
     * Says whether a directory is offline, and was taken offline by somebody.
     *
     * @param directory the directory in its owner's spelling
     * @param by whom
     * @return true if so
     */
    public synchronized boolean isOffline(String directory, By by) {
        Entry entry = entries.get(directory);
        return entry != null && offlineBy(entry) == by;
    }

    /**
     * Says whether the agent would have taken a directory offline within the last hour, had it been allowed to.
     *
     * @param directory the directory in its owner's spelling
     * @return true if so, and it is not offline
     */
    public synchronized boolean wouldBeOffline(String directory) {
        Entry entry = entries.get(directory);
        return entry != null && entry.isHeld();
    }

    /**
     * All directories that are claimed.
     *
     * @return a copy, in the order in which they were found
     */
    public synchronized List<Watched> all() {
        List<Watched> all = new ArrayList<>();
        entries.forEach((path, entry) -> {
            if (entry.last != null) {
                all.add(new Watched(path, entry.last.owner(), offlineBy(entry), entry.isHeld()));
            }
        });
        return all;
    }

    private static By offlineBy(Entry entry) {
        if (entry.last == null || !entry.last.offline()) {
            return null;
        }
        return entry.fed ? By.FAULTLINE : By.OWNER;
    }
}
