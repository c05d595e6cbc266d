package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.log.TopicConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;

/** That the APIs for settings do what they are for, in one version; each has a topic of its own. */
final class ConfigVersions {

    private static final Map<String, String> BEFORE = Map.of("segment.bytes", "2048", "segment.ms", "9");

    private final EmbeddedBroker broker;
    private final RawClient client;
    private final int version;
    private final String topic;

    ConfigVersions(EmbeddedBroker broker, RawClient client, ApiKeys api, int version) {
        this.broker = broker;
        this.client = client;
        this.version = version;
        topic = api.name + "-v" + version;
        broker.topics().create(topic, 1, TopicConfig.NONE.change(BEFORE));
    }

    void describeConfigs() throws IOException {
        DescribeConfigsRequestData request = new DescribeConfigsRequestData()
                .setIncludeSynonyms(true)
                .setResources(List.of(
                        resource(ConfigResource.Type.TOPIC, topic).setConfigurationKeys(List.of("segment.bytes")),
                        resource(ConfigResource.Type.BROKER, "1").setConfigurationKeys(null),
                        resource(ConfigResource.Type.TOPIC, "no such topic")));
        List<DescribeConfigsResult> results = client.call(
                        ApiKeys.DESCRIBE_CONFIGS, version, request, DescribeConfigsResponseData.class)
                .results();
        assertThat(results)
                .extracting(result -> result.resourceName() + " " + Errors.forCode(result.errorCode()))
                .containsExactly(topic + " NONE", "1 NONE", "no such topic UNKNOWN_TOPIC_OR_PARTITION");
        ConfigType type = version < 3 ? ConfigType.UNKNOWN : ConfigType.INT;
        assertThat(results.get(0).configs())
                .containsExactly(new DescribeConfigsResourceResult()
                        .setName("segment.bytes")
                        .setValue("2048")
                        .setConfigSource(ConfigSource.TOPIC_CONFIG.id())
                        .setSynonyms(List.of(
                                synonym("segment.bytes", "2048", ConfigSource.TOPIC_CONFIG),
                                synonym("log.segment.bytes", "1073741824", ConfigSource.DEFAULT_CONFIG)))
                        .setConfigType(type.id()));
        assertThat(results.get(1).configs())
                .filteredOn(setting -> setting.name().equals("node.id"))
                .singleElement()
                .satisfies(setting -> {
                    assertThat(setting.value()).isEqualTo("1");
                    assertThat(setting.readOnly()).isTrue();
                    assertThat(setting.isSensitive()).isFalse();
                });
        assertThat(results.get(2).configs()).isEmpty();
    }

    private static DescribeConfigsResource resource(ConfigResource.Type type, String name) {
        return new DescribeConfigsResource().setResourceType(type.id()).setResourceName(name);
    }

    private static DescribeConfigsSynonym synonym(String name, String value, ConfigSource source) {
        return new DescribeConfigsSynonym().setName(name).setValue(value).setSource(source.id());
    }

    /** The settings that are named are all that the topic has afterwards. */
    void alterConfigs() throws IOException {
        for (boolean validateOnly : new boolean[] {true, false}) {
            AlterConfigsRequestData.AlterConfigsResource resource = new AlterConfigsRequestData.AlterConfigsResource()
                    .setResourceType(ConfigResource.Type.TOPIC.id())
                    .setResourceName(topic);
            resource.configs()
                    .add(new AlterConfigsRequestData.AlterableConfig()
                            .setName("retention.ms")
                            .setValue("1000"));
            AlterConfigsRequestData request = new AlterConfigsRequestData().setValidateOnly(validateOnly);
            request.resources().add(resource);
            AlterConfigsResponseData response =
                    client.call(ApiKeys.ALTER_CONFIGS, version, request, AlterConfigsResponseData.class);
            assertThat(response.responses())
                    .extracting(result -> result.resourceName() + " " + Errors.forCode(result.errorCode()))
                    .containsExactly(topic + " NONE");
            assertThat(settings()).isEqualTo(validateOnly ? BEFORE : Map.of("retention.ms", "1000"));
        }
    }

    /** The settings that are not named stay as they are. */
    void incrementalAlterConfigs() throws IOException {
        for (boolean validateOnly : new boolean[] {true, false}) {
            IncrementalAlterConfigsRequestData.AlterConfigsResource resource =
                    new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                            .setResourceType(ConfigResource.Type.TOPIC.id())
                            .setResourceName(topic);
            resource.configs().add(setting("retention.ms", OpType.SET, "1000"));
            resource.configs().add(setting("segment.ms", OpType.DELETE, null));
            resource.configs().add(setting("cleanup.policy", OpType.APPEND, "compact"));
            IncrementalAlterConfigsRequestData request =
                    new IncrementalAlterConfigsRequestData().setValidateOnly(validateOnly);
            request.resources().add(resource);
            IncrementalAlterConfigsResponseData response = client.call(
                    ApiKeys.INCREMENTAL_ALTER_CONFIGS, version, request, IncrementalAlterConfigsResponseData.class);
            assertThat(response.responses())
                    .extracting(result -> result.resourceName() + " " + Errors.forCode(result.errorCode()))
                    .containsExactly(topic + " NONE");
            assertThat(settings())
                    .isEqualTo(
                            validateOnly
                                    ? BEFORE
                                    : Map.of(
                                            "segment.bytes",
                                            "2048",
                                            "retention.ms",
                                            "1000",
                                            "cleanup.policy",
                                            "delete,compact"));
        }
    }

    private static IncrementalAlterConfigsRequestData.AlterableConfig setting(
            String key, OpType operation, String value) {
        return new IncrementalAlterConfigsRequestData.AlterableConfig()
                .setName(key)
                .setConfigOperation(operation.id())
                .setValue(value);
    }

    private Map<String, String> settings() {
        return broker.topics().byName(topic).orElseThrow().config().settings();
    }
}
