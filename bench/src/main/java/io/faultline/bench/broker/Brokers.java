package io.faultline.bench.broker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/** Brokers to which faults are done, each a process. They are numbered from 1 on. */
public interface Brokers extends AutoCloseable {

    /**
     * What they are.
     *
     * @return such as "Kafka 4.4.0, 3 brokers"
     */
    String description();

    /**
     * How many there are.
     *
     * @return at least 1
     */
    int count();

    /**
     * Where clients connect.
     *
     * @return {@code bootstrap.servers}
     */
    String bootstrap();

    /**
     * Where an observer connects whom no proxy shall disturb.
     *
     * @return {@code bootstrap.servers}; the same as for clients where brokers have but one listener
     */
    String directBootstrap();

    /**
     * Stops a broker in the middle of whatever it does, as a machine that hangs.
     *
     * @param id which
     * @throws IOException if it cannot be stopped
     * @throws InterruptedException if interrupted meanwhile
     */
    void freeze(int id) throws IOException, InterruptedException;

    /**
     * Lets a frozen broker go on.
     *
     * @param id which
     * @throws IOException if it cannot be told to
     * @throws InterruptedException if interrupted meanwhile
     */
    void thaw(int id) throws IOException, InterruptedException;

    /**
     * Ends a broker at once, as a crash would.
     *
     * @param id which
     * @throws InterruptedException if interrupted meanwhile
     */
    void kill(int id) throws InterruptedException;

    /**
     * Ends a broker in an orderly way and waits for that.
     *
     * @param id which
     */
    void stop(int id);

    /**
     * Starts a broker that has ended, with its old files; returns at once.
     *
     * @param id which
     * @throws IOException if it cannot be started
     */
    void start(int id) throws IOException;

    /**
     * Waits until every broker that was started has joined.
     *
     * @throws IOException if one does not
     * @throws InterruptedException if interrupted meanwhile
     */
    void awaitAll() throws IOException, InterruptedException;

    /**
     * Where a broker keeps a partition.
     *
     * @param id which broker
     * @param partition which partition
     * @return the partition's folder
     * @throws IOException if the broker has none
     */
    Path folder(int id, TopicPartition partition) throws IOException;

    /**
     * When the coordinator of groups forgot them, and began to number their generations from the beginning.
     *
     * @return times by the machine's monotonic clock in milliseconds, the earliest first; none for one that remembers
     */
    default List<Long> forgotGroupsAt() {
        return List.of();
    }

    @Override
    void close() throws IOException;
}
