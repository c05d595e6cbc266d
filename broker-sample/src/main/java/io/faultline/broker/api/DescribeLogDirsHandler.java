package io.faultline.broker.api;

import io.faultline.broker.log.Log;
import io.faultline.broker.log.LogDirectory;
import io.faultline.broker.log.Partition;
import io.faultline.broker.log.Topic;
import io.faultline.broker.log.Topics;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.util.List;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopicCollection;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.protocol.Errors;

/** Describes the log directories; one that failed answers with KAFKA_STORAGE_ERROR. */
public final class DescribeLogDirsHandler implements RequestHandler<DescribeLogDirsRequestData> {

    private final List<LogDirectory> directories;
    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param directories the directories, in the order in which to describe them
     * @param topics what lies in them
     */
    public DescribeLogDirsHandler(List<LogDirectory> directories, Topics topics) {
        this.directories = directories;
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<DescribeLogDirsRequestData> request) {
        DescribeLogDirsResponseData response = new DescribeLogDirsResponseData();
        for (LogDirectory directory : directories) {
            response.results().add(describe(directory, request.body().topics()));
        }
        request.respond(response);
    }

    private DescribeLogDirsResult describe(LogDirectory directory, DescribableLogDirTopicCollection asked) {
        DescribeLogDirsResult result =
                new DescribeLogDirsResult().setLogDir(directory.file().getPath());
        try {
            FileStore store = directory.io(
                    "describing " + directory,
                    () -> Files.getFileStore(directory.file().toPath()));
            result.setTotalBytes(directory.io("describing " + directory, store::getTotalSpace));
            result.setUsableBytes(directory.io("describing " + directory, store::getUsableSpace));
            for (Topic topic : topics.all()) {
                DescribeLogDirsTopic described = describe(directory, topic, asked);
                if (!described.partitions().isEmpty()) {
                    result.topics().add(described);
                }
            }
            return result;
        } catch (ApiException offline) {
            return new DescribeLogDirsResult()
                    .setLogDir(directory.file().getPath())
                    .setErrorCode(Errors.forException(offline).code());
        }
    }

    private static DescribeLogDirsTopic describe(
            LogDirectory directory, Topic topic, DescribableLogDirTopicCollection asked) {
        DescribableLogDirTopic wanted = asked == null ? null : asked.find(topic.name());
        DescribeLogDirsTopic described = new DescribeLogDirsTopic().setName(topic.name());
        for (Partition partition : topic.partitions()) {
            boolean isWanted =
                    asked == null || (wanted != null && wanted.partitions().contains(partition.index()));
            if (isWanted && partition.directory() == directory) {
                described
                        .partitions()
                        .add(new DescribeLogDirsPartition()
                                .setPartitionIndex(partition.index())
                                .setPartitionSize(partition.log().sizeInBytes()));
            }
            Log future = partition.future().orElse(null);
            if (isWanted && future != null && future.directory() == directory) {
                long lag = partition.log().end().offset() - future.end().offset();
                described
                        .partitions()
                        .add(new DescribeLogDirsPartition()
                                .setPartitionIndex(partition.index())
                                .setPartitionSize(future.sizeInBytes())
                                .setOffsetLag(Math.max(0, lag))
                                .setIsFutureKey(true));
            }
        }
        return described;
    }
}
