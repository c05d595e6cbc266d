package io.faultline.bench.throughput;

import io.faultline.bench.measure.OpenLoop.Ended;

/** A producer of one kind or the other, used as its users use it. */
interface MeasuredProducer extends AutoCloseable {

    /** Sends a record, and tells when it is acknowledged or lost. */
    void send(String topic, int partition, byte[] value, Ended ended);

    @Override
    void close();
}
