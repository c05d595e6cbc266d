package io.faultline.agent.core;

import io.faultline.agent.jfr.FlightEvents;
import io.faultline.classifier.FailureClassifier;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Looks at the directories that owners claim, and tells everybody what is new: which were found, and which went offline. */
final class DirectoryNews {

    private final FailureClassifier classifier;
    private final DirectoryWatch directories;
    private final StaleReads staleReads;
    private final FlightEvents events;
    private final AgentLog log;
    private final Audit audit;
    private final Consumer<List<String>> onFound;

    /**
     * Makes one that has looked at nothing yet.
     *
     * @param onFound told of directories that were not known before
     */
    DirectoryNews(
            FailureClassifier classifier,
            DirectoryWatch directories,
            StaleReads staleReads,
            FlightEvents events,
            AgentLog log,
            Audit audit,
            Consumer<List<String>> onFound) {
        this.classifier = classifier;
        this.directories = directories;
        this.staleReads = staleReads;
        this.events = events;
        this.log = log;
        this.audit = audit;
        this.onFound = onFound;
    }

    /** Looks, and tells. */
    void look() {
        DirectoryWatch.Looked looked = directories.look(classifier.ownedDirectories());
        onFound.accept(looked.found());
        looked.found().forEach(audit::refuseBelow);
        for (DirectoryWatch.Watched directory : looked.wentOffline()) {
            String by = directory.offlineBy().name().toLowerCase(Locale.ROOT);
            events.offline(directory.path(), directory.owner(), by);
            if (directory.offlineBy() == DirectoryWatch.By.OWNER) {
                log.line(directory.path() + " is offline, not by Faultline but by " + directory.owner() + " itself");
            }
        }
        staleReads.sort(classifier);
    }
}
