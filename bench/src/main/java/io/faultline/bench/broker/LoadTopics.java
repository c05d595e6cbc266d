package io.faultline.bench.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/** The topics that loads write to: one for each kind, spread over all directories. */
final class LoadTopics {

    private static final int PARTITIONS = 3;

    private LoadTopics() {}

    /** Makes them; returns all their partitions. */
    static List<TopicPartition> create(String bootstrap) throws ExecutionException, InterruptedException {
        List<NewTopic> topics = new ArrayList<>();
        List<TopicPartition> partitions = new ArrayList<>();
        for (ProducerLoad.Kind kind : ProducerLoad.Kind.ALL) {
            topics.add(new NewTopic(kind.topic(), PARTITIONS, (short) 1));
            for (int index = 0; index < PARTITIONS; index++) {
                partitions.add(new TopicPartition(kind.topic(), index));
            }
        }
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
            admin.createTopics(topics).all().get();
        }
        return partitions;
    }

    /** Those of one kind. */
    static List<TopicPartition> of(ProducerLoad.Kind kind, List<TopicPartition> partitions) {
        return partitions.stream()
                .filter(partition -> partition.topic().equals(kind.topic()))
                .toList();
    }
}
