package io.faultline.broker.api;

import io.faultline.broker.log.TopicConfig;
import io.faultline.broker.log.Topics;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.requests.ApiError;

/** Sets all settings of topics anew: what is not named is the default again. */
public final class AlterConfigsHandler implements RequestHandler<AlterConfigsRequestData> {

    private final TopicConfigs topics;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     */
    public AlterConfigsHandler(Topics topics) {
        this.topics = new TopicConfigs(topics);
    }

    @Override
    public void handle(ApiRequest<AlterConfigsRequestData> request) {
        AlterConfigsResponseData response = new AlterConfigsResponseData();
        for (AlterConfigsResource resource : request.body().resources()) {
            ApiError outcome = alter(resource, request.body().validateOnly());
            response.responses()
                    .add(new AlterConfigsResourceResponse()
                            .setResourceType(resource.resourceType())
                            .setResourceName(resource.resourceName())
                            .setErrorCode(outcome.error().code())
                            .setErrorMessage(outcome.message()));
        }
        request.respond(response);
    }

    private ApiError alter(AlterConfigsResource resource, boolean validateOnly) {
        return topics.change(
                resource.resourceType(), resource.resourceName(), validateOnly, before -> change(before, resource));
    }

    private static TopicConfig change(TopicConfig before, AlterConfigsResource resource) {
        Map<String, String> next = new HashMap<>();
        for (AlterableConfig setting : resource.configs()) {
            next.put(setting.name(), setting.value());
        }
        return before.change(next);
    }
}
