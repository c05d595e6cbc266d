package io.faultline.agent.core;

import io.faultline.classifier.Classification;
import io.faultline.classifier.OwnerAction;
import io.faultline.classifier.Verdict;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Tells what is news from what is said again and again: a consumer that stalls on a bad block asks for it several times a second. Safe for use from several threads.
 */
final class Repeats {

    private static final long SAID_AGAIN_AFTER_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int MOST = 256;

    private final Map<Said, Count> said = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Said, Count> eldest) {
            return size() > MOST;
        }
    };

    private record Said(
            Verdict verdict, OwnerAction action, String directory, String file, long position, String why) {}

    private record Count(long saidNanos, long unsaid) {}

    /**
     * Counts a verdict.
     *
     * @param why what else distinguishes it
     * @return 0 if the same was said within the last ten minutes, else how often it has come since it was last said, this time included
     */
    synchronized long news(Classification verdict, String why) {
        Said key = new Said(
                verdict.verdict(),
                verdict.action(),
                verdict.directory(),
                verdict.file(),
                verdict.unreadablePosition(),
                why);
        long now = System.nanoTime();
        Count count = said.get(key);
        if (count != null && now - count.saidNanos < SAID_AGAIN_AFTER_NANOS) {
            said.put(key, new Count(count.saidNanos, count.unsaid + 1));
            return 0;
        }
        said.remove(key); // so that it counts as the latest
        said.put(key, new Count(now, 0));
        return count == null ? 1 : count.unsaid + 1;
    }
}
