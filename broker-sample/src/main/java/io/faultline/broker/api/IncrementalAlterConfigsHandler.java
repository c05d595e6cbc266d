package io.faultline.broker.api;

import io.faultline.broker.log.TopicConfig;
import io.faultline.broker.log.Topics;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.Errors;

/** Changes some settings of topics, and leaves the others. */
public final class IncrementalAlterConfigsHandler implements RequestHandler<IncrementalAlterConfigsRequestData> {

    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     */
    public IncrementalAlterConfigsHandler(Topics topics) {
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<IncrementalAlterConfigsRequestData> request) {
        IncrementalAlterConfigsResponseData response = new IncrementalAlterConfigsResponseData();
        for (AlterConfigsResource resource : request.body().resources()) {
            AlterConfigsResourceResponse result = new AlterConfigsResourceResponse()
                    .setResourceType(resource.resourceType())
                    .setResourceName(resource.resourceName());
            try {
                alter(resource, request.body().validateOnly());
            } catch (ApiException refused) {
                result.setErrorCode(Errors.forException(refused).code()).setErrorMessage(ErrorText.of(refused));
            }
            response.responses().add(result);
        }
        request.respond(response);
    }

    private void alter(AlterConfigsResource resource, boolean validateOnly) {
        String name = resource.resourceName();
        if (resource.resourceType() == ConfigResource.Type.BROKER.id() && deletesOnly(resource)) {
            // Nothing is ever set for a broker while it runs. Kafka's tool for reassignments deletes throttles, set or
            // not.
            return;
        }
        if (resource.resourceType() != ConfigResource.Type.TOPIC.id()) {
            throw new InvalidRequestException("accepted are topics; the broker's settings are those of its start");
        }
        if (!validateOnly) {
            topics.configure(name, before -> change(before, resource));
            return;
        }
        TopicConfig before = topics.byName(name)
                .orElseThrow(() -> new UnknownTopicOrPartitionException("no topic " + name))
                .config();
        change(before, resource);
    }

    private static boolean deletesOnly(AlterConfigsResource resource) {
        return resource.configs().stream().allMatch(setting -> setting.configOperation() == OpType.DELETE.id());
    }

    private static TopicConfig change(TopicConfig before, AlterConfigsResource resource) {
        Map<String, String> next = new HashMap<>(before.settings());
        for (AlterableConfig setting : resource.configs()) {
            if (setting.configOperation() == OpType.SET.id()) {
                next.put(setting.name(), setting.value());
            } else if (setting.configOperation() == OpType.DELETE.id()) {
                next.remove(setting.name());
            } else {
                throw new InvalidConfigurationException(setting.name() + " is no list: accepted are set and delete");
            }
        }
        return before.change(next);
    }
}
