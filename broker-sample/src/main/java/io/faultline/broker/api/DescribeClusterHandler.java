package io.faultline.broker.api;

import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.Errors;

/** Describes the cluster of one node. */
public final class DescribeClusterHandler implements RequestHandler<DescribeClusterRequestData> {

    private static final byte BROKERS = 1;

    private final ThisNode node;

    /**
     * Makes a handler.
     *
     * @param node the node
     */
    public DescribeClusterHandler(ThisNode node) {
        this.node = node;
    }

    @Override
    public void handle(ApiRequest<DescribeClusterRequestData> request) {
        DescribeClusterResponseData response = new DescribeClusterResponseData().setClusterId(node.clusterId());
        if (request.body().endpointType() == BROKERS) {
            response.setControllerId(node.id())
                    .setClusterAuthorizedOperations(
                            AuthorizedOperations.CLUSTER.bits(request.body().includeClusterAuthorizedOperations()));
            response.brokers()
                    .add(new DescribeClusterBroker()
                            .setBrokerId(node.id())
                            .setHost(request.origin().listener().host())
                            .setPort(request.origin().listener().port()));
        } else {
            response.setEndpointType(request.body().endpointType())
                    .setErrorCode(Errors.UNSUPPORTED_ENDPOINT_TYPE.code())
                    .setErrorMessage("only brokers can be described: endpoint type 1");
        }
        request.respond(response);
    }
}
