package io.faultline.broker.api;

import io.faultline.broker.log.LogConfig;
import io.faultline.broker.log.TopicConfig;
import io.faultline.broker.log.TopicSetting;
import io.faultline.broker.log.Topics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.requests.ApiError;

/** Changes some settings of topics, and leaves the others. */
public final class IncrementalAlterConfigsHandler implements RequestHandler<IncrementalAlterConfigsRequestData> {

    private final TopicConfigs topics;
    private final LogConfig defaults;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     * @param defaults how logs are kept where a topic has no setting of its own
     */
    public IncrementalAlterConfigsHandler(Topics topics, LogConfig defaults) {
        this.topics = new TopicConfigs(topics);
        this.defaults = defaults;
    }

    @Override
    public void handle(ApiRequest<IncrementalAlterConfigsRequestData> request) {
        IncrementalAlterConfigsResponseData response = new IncrementalAlterConfigsResponseData();
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
        if (resource.resourceType() == ConfigResource.Type.BROKER.id() && deletesOnly(resource)) {
            // Nothing is ever set for a broker while it runs. Kafka's tool for reassignments deletes throttles, set or
            // not.
            return ApiError.NONE;
        }
        return topics.change(
                resource.resourceType(), resource.resourceName(), validateOnly, before -> change(before, resource));
    }

    private static boolean deletesOnly(AlterConfigsResource resource) {
        return resource.configs().stream().allMatch(setting -> setting.configOperation() == OpType.DELETE.id());
    }

    private TopicConfig change(TopicConfig before, AlterConfigsResource resource) {
        Map<String, String> next = new HashMap<>(before.settings());
        for (AlterableConfig setting : resource.configs()) {
            OpType operation = OpType.forId(setting.configOperation());
            if (operation == null) {
                throw new InvalidRequestException("operation " + setting.configOperation() + " on " + setting.name()
                        + ": accepted are set, delete, append and subtract");
            }
            switch (operation) {
                case SET -> next.put(setting.name(), setting.value());
                case DELETE -> next.remove(setting.name());
                case APPEND -> changeList(next, setting, List::addAll);
                case SUBTRACT -> changeList(next, setting, List::removeAll);
                default -> throw new IllegalStateException("no such operation: " + operation);
            }
        }
        return before.change(next);
    }

    /** A list that was not set begins as the one that holds by default. */
    private void changeList(
            Map<String, String> settings, AlterableConfig setting, BiConsumer<List<String>, List<String>> change) {
        TopicSetting known = TopicSetting.of(setting.name())
                .filter(candidate -> candidate.type() == ConfigDef.Type.LIST)
                .orElseThrow(() ->
                        new InvalidConfigurationException(setting.name() + " is no list: accepted are set and delete"));
        List<String> values = new ArrayList<>(elements(settings.getOrDefault(setting.name(), known.valueIn(defaults))));
        List<String> given = elements(setting.value());
        values.removeAll(given);
        change.accept(values, given);
        settings.put(setting.name(), String.join(",", values));
    }

    private static List<String> elements(String list) {
        return list == null || list.isBlank() ? List.of() : List.of(list.trim().split("\\s*,\\s*"));
    }
}
