package io.faultline.bench.throughput;

/** A consumer of one kind or the other, used as its users use it, from one thread. */
interface MeasuredConsumer extends AutoCloseable {

    /** Goes to the first record of every partition of a topic. */
    void rewind(String topic, int partitions);

    /** Waits for records, and returns how many came. */
    int poll();

    @Override
    void close();
}
