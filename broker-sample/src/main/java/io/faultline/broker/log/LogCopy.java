package io.faultline.broker.log;

import java.io.File;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** The copy of a log in another directory, which grows there and then takes its place. For one thread at a time. */
final class LogCopy {

    private final Log source;
    private final Log log;

    private LogCopy(Log source, Log log) {
        this.source = source;
        this.log = log;
    }

    /**
     * Makes an empty copy.
     *
     * @param source the log
     * @param target the directory of the copy
     * @param topicId the id of the log's topic
     * @return the copy, in a folder of its own
     */
    static LogCopy begin(Log source, LogDirectory target, Uuid topicId) {
        String name = source.files().name();
        Log log = target.write("creating a copy of " + name, 0, () -> {
            target.forget(name);
            File future = PartitionFolder.createFuture(target, name);
            return PartitionFolder.filled(future, () -> {
                PartitionFolder.writeTopicId(future, topicId);
                return Log.open(
                        name,
                        future,
                        target,
                        source.config(),
                        source.files().upkeep().background());
            });
        });
        return new LogCopy(source, log);
    }

    /** The copy as a log. */
    Log log() {
        return log;
    }

    /** Appends batches of the source as they are. */
    void append(MemoryRecords batches) {
        LogFiles files = log.files();
        files.change("appending a copy to", batches.sizeInBytes(), () -> files.appendCopy(batches));
    }

    /** Goes on at a higher offset, in a segment of its own; does nothing at or behind that offset. */
    void skipTo(long offset) {
        LogFiles files = log.files();
        files.change("skipping to " + offset + " in", 0, () -> files.skipTo(offset));
    }

    /** Takes the place of the source, durably, which nobody changes meanwhile. */
    void takeOver(TopicConfig topicConfig) {
        LogFiles files = log.files();
        files.change("taking over", 0, () -> files.takeOver(source.files(), topicConfig));
    }
}
