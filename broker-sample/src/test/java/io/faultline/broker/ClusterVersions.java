package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateAclsRequestData.AclCreation;
import org.apache.kafka.common.message.CreateAclsResponseData;
import org.apache.kafka.common.message.DeleteAclsRequestData;
import org.apache.kafka.common.message.DeleteAclsRequestData.DeleteAclsFilter;
import org.apache.kafka.common.message.DeleteAclsResponseData;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeAclsResponseData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;

/** That the APIs for the cluster do what they are for, in one version. */
final class ClusterVersions {

    private static final int USUAL_METADATA = 12;

    private final EmbeddedBroker broker;
    private final RawClient client;
    private final int version;

    ClusterVersions(EmbeddedBroker broker, RawClient client, int version) {
        this.broker = broker;
        this.client = client;
        this.version = version;
    }

    void apiVersions() throws IOException {
        ApiVersionsRequestData request =
                new ApiVersionsRequestData().setClientSoftwareName("raw").setClientSoftwareVersion("1");
        ApiVersionsResponseData response =
                client.call(ApiKeys.API_VERSIONS, version, request, ApiVersionsResponseData.class);
        assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.NONE);
        ApiVersionsResponseData first =
                client.call(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData(), ApiVersionsResponseData.class);
        assertThat(response.apiKeys()).isEqualTo(first.apiKeys()).isNotEmpty();
    }

    void describeCluster() throws IOException {
        DescribeClusterResponseData response = client.call(
                ApiKeys.DESCRIBE_CLUSTER, version, new DescribeClusterRequestData(), DescribeClusterResponseData.class);
        assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.NONE);
        MetadataResponseData metadata = client.call(
                ApiKeys.METADATA,
                USUAL_METADATA,
                new MetadataRequestData().setTopics(List.of()),
                MetadataResponseData.class);
        assertThat(response.clusterId()).isEqualTo(metadata.clusterId()).isNotEmpty();
        assertThat(response.controllerId()).isEqualTo(1);
        assertThat(response.brokers()).singleElement().satisfies(node -> {
            assertThat(node.brokerId()).isEqualTo(1);
            assertThat(node.host() + ":" + node.port()).isEqualTo(broker.bootstrapServers());
            assertThat(node.isFenced()).isFalse();
        });
        if (version >= 1) {
            DescribeClusterResponseData controllers = client.call(
                    ApiKeys.DESCRIBE_CLUSTER,
                    version,
                    new DescribeClusterRequestData().setEndpointType((byte) 2),
                    DescribeClusterResponseData.class);
            assertThat(Errors.forCode(controllers.errorCode())).isEqualTo(Errors.UNSUPPORTED_ENDPOINT_TYPE);
        }
    }

    void describeAcls() throws IOException {
        DescribeAclsRequestData request = new DescribeAclsRequestData()
                .setResourceTypeFilter(ResourceType.ANY.code())
                .setPatternTypeFilter(PatternType.ANY.code())
                .setOperation(AclOperation.ANY.code())
                .setPermissionType(AclPermissionType.ANY.code());
        DescribeAclsResponseData response =
                client.call(ApiKeys.DESCRIBE_ACLS, version, request, DescribeAclsResponseData.class);
        assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.SECURITY_DISABLED);
        assertThat(response.resources()).isEmpty();
    }

    void createAcls() throws IOException {
        AclCreation creation = new AclCreation()
                .setResourceType(ResourceType.TOPIC.code())
                .setResourceName("any")
                .setPrincipal("User:any")
                .setHost("*")
                .setOperation(AclOperation.READ.code())
                .setPermissionType(AclPermissionType.DENY.code());
        CreateAclsRequestData request = new CreateAclsRequestData()
                .setCreations(List.of(creation, creation.duplicate().setResourceName("other")));
        assertThat(client.call(ApiKeys.CREATE_ACLS, version, request, CreateAclsResponseData.class)
                        .results())
                .extracting(result -> Errors.forCode(result.errorCode()))
                .containsExactly(Errors.SECURITY_DISABLED, Errors.SECURITY_DISABLED);
    }

    void deleteAcls() throws IOException {
        DeleteAclsRequestData request = new DeleteAclsRequestData()
                .setFilters(List.of(new DeleteAclsFilter()
                        .setResourceTypeFilter(ResourceType.ANY.code())
                        .setOperation(AclOperation.ANY.code())
                        .setPermissionType(AclPermissionType.ANY.code())));
        assertThat(client.call(ApiKeys.DELETE_ACLS, version, request, DeleteAclsResponseData.class)
                        .filterResults())
                .extracting(result -> Errors.forCode(result.errorCode()))
                .containsExactly(Errors.SECURITY_DISABLED);
    }
}
