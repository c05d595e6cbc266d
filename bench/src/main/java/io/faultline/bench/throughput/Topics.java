package io.faultline.bench.throughput;

import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Makes topics of a broker, and deletes them. */
final class Topics implements AutoCloseable {

    /** Of each topic. */
    static final int PARTITIONS = 6;

    private final Admin admin;
    private int made;

    Topics(Properties client) {
        admin = Admin.create(client);
    }

    /** Makes one under a name that no other has. */
    String make() throws ExecutionException, InterruptedException {
        String name = "load-" + made++;
        admin.createTopics(List.of(new NewTopic(name, PARTITIONS, (short) 1)))
                .all()
                .get();
        return name;
    }

    void delete(String topic) throws ExecutionException, InterruptedException {
        admin.deleteTopics(List.of(topic)).all().get();
    }

    @Override
    public void close() {
        admin.close();
    }
}
