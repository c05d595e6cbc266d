package io.faultline.broker.api;

import io.faultline.broker.log.LogConfig;
import io.faultline.broker.log.Topic;
import io.faultline.broker.log.TopicSetting;
import io.faultline.broker.log.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;

/** Describes the settings of topics, and of the broker. */
public final class DescribeConfigsHandler implements RequestHandler<DescribeConfigsRequestData> {

    /** The name of what was set for all brokers at once, which is never anything here. */
    private static final String DEFAULT_OF_ALL_BROKERS = "";

    private final ThisNode node;
    private final Topics topics;
    private final LogConfig defaults;
    private final Map<String, String> brokerValues;
    private final Set<String> given;

    /**
     * Makes a handler.
     *
     * @param node the node
     * @param topics the topics
     * @param defaults how logs are kept where a topic has no setting of its own
     * @param brokerValues the broker's configuration, without secrets
     * @param given the keys of it that are no defaults
     */
    public DescribeConfigsHandler(
            ThisNode node, Topics topics, LogConfig defaults, Map<String, String> brokerValues, Set<String> given) {
        this.node = node;
        this.topics = topics;
        this.defaults = defaults;
        this.brokerValues = Map.copyOf(brokerValues);
        this.given = Set.copyOf(given);
    }

    @Override
    public void handle(ApiRequest<DescribeConfigsRequestData> request) {
        DescribeConfigsResponseData response = new DescribeConfigsResponseData();
        for (DescribeConfigsResource resource : request.body().resources()) {
            response.results().add(describe(resource, request.body().includeSynonyms()));
        }
        request.respond(response);
    }

    private DescribeConfigsResult describe(DescribeConfigsResource asked, boolean withSynonyms) {
        DescribeConfigsResult result = new DescribeConfigsResult()
                .setResourceType(asked.resourceType())
                .setResourceName(asked.resourceName());
        try {
            List<DescribeConfigsResourceResult> all = switch (ConfigResource.Type.forId(asked.resourceType())) {
                case TOPIC -> describeTopic(asked.resourceName(), withSynonyms);
                case BROKER -> describeBroker(asked.resourceName(), withSynonyms);
                default -> throw new InvalidRequestException("accepted are topics and the broker");
            };
            List<String> keys = asked.configurationKeys();
            return result.setConfigs(all.stream()
                    .filter(setting -> keys == null || keys.contains(setting.name()))
                    .toList());
        } catch (ApiException refused) {
            return result.setErrorCode(Errors.forException(refused).code()).setErrorMessage(ErrorText.of(refused));
        }
    }

    private List<DescribeConfigsResourceResult> describeTopic(String name, boolean withSynonyms) {
        Topic topic = topics.byName(name).orElseThrow(() -> new UnknownTopicOrPartitionException("no topic " + name));
        LogConfig inForce = topic.config().applyTo(defaults);
        List<DescribeConfigsResourceResult> described = new ArrayList<>();
        for (TopicSetting setting : TopicSetting.values()) {
            ConfigSource source = topic.config().settings().containsKey(setting.key())
                    ? ConfigSource.TOPIC_CONFIG
                    : brokerSource(setting.brokerKey());
            DescribeConfigsResourceResult one = new DescribeConfigsResourceResult()
                    .setName(setting.key())
                    .setValue(setting.valueIn(inForce))
                    .setConfigSource(source.id())
                    .setConfigType(ConfigType.valueOf(setting.type().name()).id());
            if (withSynonyms) {
                if (source == ConfigSource.TOPIC_CONFIG) {
                    one.synonyms().add(synonym(setting.key(), setting.valueIn(inForce), source));
                }
                String brokerKey = setting.brokerKey();
                one.synonyms().add(synonym(brokerKey, setting.valueIn(defaults), brokerSource(brokerKey)));
            }
            described.add(one);
        }
        return described;
    }

    private static DescribeConfigsSynonym synonym(String name, String value, ConfigSource source) {
        return new DescribeConfigsSynonym().setName(name).setValue(value).setSource(source.id());
    }

    private ConfigSource brokerSource(String key) {
        return given.contains(key) ? ConfigSource.STATIC_BROKER_CONFIG : ConfigSource.DEFAULT_CONFIG;
    }

    private List<DescribeConfigsResourceResult> describeBroker(String name, boolean withSynonyms) {
        if (name.equals(DEFAULT_OF_ALL_BROKERS)) {
            return List.of();
        }
        if (!name.equals(Integer.toString(node.id()))) {
            throw new InvalidRequestException("the broker is " + node.id() + ", not '" + name + "'");
        }
        List<DescribeConfigsResourceResult> described = new ArrayList<>();
        brokerValues.forEach((key, value) -> {
            DescribeConfigsResourceResult one = new DescribeConfigsResourceResult()
                    .setName(key)
                    .setValue(value)
                    .setReadOnly(true)
                    .setConfigSource(brokerSource(key).id());
            if (withSynonyms) {
                one.synonyms().add(synonym(key, value, brokerSource(key)));
            }
            described.add(one);
        });
        return described;
    }
}
