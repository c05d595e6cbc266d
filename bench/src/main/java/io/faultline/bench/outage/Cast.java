package io.faultline.bench.outage;

import io.faultline.bench.subject.SubjectProcess;
import io.faultline.bench.subject.Timeouts;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;

/**
 * What a fault may lay its hands on.
 *
 * @param stage brokers, and what is before them
 * @param observer who knows what the cluster looks like
 * @param client the client under test
 * @param companions who may join its group and leave it again
 * @param topic what it writes and reads
 * @param partitions of that topic
 * @param group its group
 * @param timeouts of the client
 * @param random what is left to chance
 */
record Cast(
        Stage stage,
        Observer observer,
        SubjectProcess client,
        Companions companions,
        String topic,
        int partitions,
        String group,
        Timeouts timeouts,
        Random random) {

    /** Does something to every broker. */
    void eachBroker(OnBroker action) throws Exception {
        for (int id = 1; id <= stage.brokers().count(); id++) {
            action.on(id);
        }
    }

    TopicPartition partition(int number) {
        return new TopicPartition(topic, number);
    }

    /** Something that is done to a broker. */
    interface OnBroker {
        void on(int id) throws Exception;
    }
}
