package io.faultline.bench.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * What a broker says of its logs, beside the records.
 *
 * @param ends where they end
 * @param newest where the largest timestamps are
 * @param producers the idempotent producers, each with its epoch and last sequence
 */
record LogFacts(Map<String, Long> ends, Map<String, Long> newest, Map<String, List<String>> producers) {

    /** Asks a broker. */
    static LogFacts of(String bootstrap, List<TopicPartition> partitions)
            throws ExecutionException, InterruptedException {
        Map<String, List<String>> producers = new TreeMap<>();
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
            admin.describeProducers(partitions)
                    .all()
                    .get()
                    .forEach((partition, state) -> producers.put(
                            partition.toString(),
                            state.activeProducers().stream()
                                    .map(producer -> producer.producerId() + "/" + producer.producerEpoch() + ":"
                                            + producer.lastSequence())
                                    .sorted()
                                    .toList()));
            return new LogFacts(
                    offsets(admin, partitions, OffsetSpec.latest()),
                    offsets(admin, partitions, OffsetSpec.maxTimestamp()),
                    producers);
        }
    }

    private static Map<String, Long> offsets(Admin admin, List<TopicPartition> partitions, OffsetSpec spec)
            throws ExecutionException, InterruptedException {
        Map<String, Long> offsets = new TreeMap<>();
        admin.listOffsets(partitions.stream().collect(Collectors.toMap(partition -> partition, partition -> spec)))
                .all()
                .get()
                .forEach((partition, found) -> offsets.put(partition.toString(), found.offset()));
        return offsets;
    }

    /** Compares the recovery points that a broker left when it was stopped: all must be on the medium. */
    void addDisagreements(List<Path> directories, List<String> disagreements) throws IOException {
        Map<String, Long> points = new TreeMap<>();
        for (Path directory : directories) {
            List<String> lines =
                    new ArrayList<>(Files.readAllLines(directory.resolve("recovery-point-offset-checkpoint")));
            for (String line : lines.subList(2, lines.size())) {
                String[] entry = line.split(" ");
                points.put(entry[0] + "-" + entry[1], Long.parseLong(entry[2]));
            }
        }
        if (!points.equals(ends)) {
            disagreements.add("recovery points " + points + " of logs that end at " + ends);
        }
    }
}
