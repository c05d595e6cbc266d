package io.faultline.bench.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.common.TopicPartition;

/** The log directories of a broker, as its clients are told of them. */
public final class LogDirs {

    private LogDirs() {}

    /**
     * What lies where.
     *
     * @param admin connected
     * @param broker the broker's id
     * @return a partition of each directory that has one
     * @throws ExecutionException if the broker does not tell
     * @throws InterruptedException if interrupted while it does
     */
    public static Map<String, TopicPartition> placement(Admin admin, int broker)
            throws ExecutionException, InterruptedException {
        Map<String, TopicPartition> placed = new HashMap<>();
        describe(admin, broker)
                .forEach((directory, description) ->
                        description.replicaInfos().keySet().forEach(partition -> placed.put(directory, partition)));
        return placed;
    }

    /**
     * The directories that are offline.
     *
     * @param admin connected
     * @param broker the broker's id
     * @return their names
     * @throws ExecutionException if the broker does not tell
     * @throws InterruptedException if interrupted while it does
     */
    public static Set<String> offline(Admin admin, int broker) throws ExecutionException, InterruptedException {
        Map<String, LogDirDescription> directories = describe(admin, broker);
        directories.values().removeIf(description -> description.error() == null);
        return directories.keySet();
    }

    private static Map<String, LogDirDescription> describe(Admin admin, int broker)
            throws ExecutionException, InterruptedException {
        return new HashMap<>(
                admin.describeLogDirs(List.of(broker)).allDescriptions().get().get(broker));
    }
}
