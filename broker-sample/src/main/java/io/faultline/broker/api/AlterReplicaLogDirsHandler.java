package io.faultline.broker.api;

import io.faultline.broker.log.LogDirectories;
import io.faultline.broker.log.LogDirectory;
import io.faultline.broker.log.Partition;
import io.faultline.broker.log.PartitionMoves;
import io.faultline.broker.log.Topics;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.LogDirNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDir;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData.AlterReplicaLogDirPartitionResult;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** Begins to move partitions to other log directories; how far they are, DescribeLogDirs tells. */
public final class AlterReplicaLogDirsHandler implements RequestHandler<AlterReplicaLogDirsRequestData> {

    private final LogDirectories directories;
    private final Topics topics;
    private final PartitionMoves moves;

    /**
     * Makes a handler.
     *
     * @param directories the directories
     * @param topics the topics
     * @param moves moves partitions
     */
    public AlterReplicaLogDirsHandler(LogDirectories directories, Topics topics, PartitionMoves moves) {
        this.directories = directories;
        this.topics = topics;
        this.moves = moves;
    }

    @Override
    public void handle(ApiRequest<AlterReplicaLogDirsRequestData> request) {
        AlterReplicaLogDirsResponseData response = new AlterReplicaLogDirsResponseData();
        for (AlterReplicaLogDir directory : request.body().dirs()) {
            for (AlterReplicaLogDirTopic topic : directory.topics()) {
                AlterReplicaLogDirTopicResult result = new AlterReplicaLogDirTopicResult().setTopicName(topic.name());
                for (int index : topic.partitions()) {
                    result.partitions()
                            .add(new AlterReplicaLogDirPartitionResult()
                                    .setPartitionIndex(index)
                                    .setErrorCode(move(topic.name(), index, directory.path())
                                            .code()));
                }
                response.results().add(result);
            }
        }
        request.respond(response);
    }

    private Errors move(String topic, int index, String path) {
        try {
            LogDirectory target =
                    directories.find(path).orElseThrow(() -> new LogDirNotFoundException("no log directory " + path));
            Partition partition = topics.byName(topic)
                    .flatMap(known -> known.partition(index))
                    .orElseThrow(() -> new UnknownTopicOrPartitionException("no " + topic + "-" + index));
            if (target.isOffline() || partition.isOffline()) {
                throw new KafkaStorageException(topic + "-" + index + " or " + target + " is offline");
            }
            moves.move(topic, partition, target);
            return Errors.NONE;
        } catch (ApiException refused) {
            return Errors.forException(refused);
        }
    }
}
