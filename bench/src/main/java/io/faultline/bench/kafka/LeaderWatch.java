package io.faultline.bench.kafka;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;

/** Watches when partitions get another leader. */
final class LeaderWatch implements AutoCloseable {

    private static final long LOOK_AGAIN_MILLIS = 20;

    private final ClusterAdmin admin;
    private final Map<TopicPartition, Integer> leaders = new ConcurrentHashMap<>();
    private final Map<TopicPartition, Long> movedAtMillis = new ConcurrentHashMap<>();
    private final Thread watcher = new Thread(this::watch, "leader-watch");
    private volatile boolean ending;

    private LeaderWatch(ClusterAdmin admin, Map<TopicPartition, Integer> leaders) {
        this.admin = admin;
        this.leaders.putAll(leaders);
    }

    static LeaderWatch of(ClusterAdmin admin, Map<TopicPartition, Integer> leaders) {
        LeaderWatch watch = new LeaderWatch(admin, leaders);
        watch.watcher.setDaemon(true);
        watch.watcher.start();
        return watch;
    }

    /** When a partition first had another leader, in milliseconds of the wall clock, or -1. */
    long movedAtMillis(TopicPartition partition) {
        return movedAtMillis.getOrDefault(partition, -1L);
    }

    private void watch() {
        try {
            while (!ending) {
                for (Map.Entry<TopicPartition, Integer> each : leaders.entrySet()) {
                    look(each.getKey(), each.getValue());
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void look(TopicPartition partition, int before) throws InterruptedException {
        if (movedAtMillis.containsKey(partition)) {
            return;
        }
        try {
            int leader = admin.leader(partition);
            if (leader >= 0 && leader != before) {
                movedAtMillis.put(partition, System.currentTimeMillis());
            }
        } catch (ExecutionException notNow) { // the next look may tell
        }
    }

    @Override
    public void close() {
        ending = true;
        try {
            watcher.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
