package io.faultline.broker.api;

import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsRequest;

/** Announces the versions that are answered. */
public final class ApiVersionsHandler implements RequestHandler<ApiVersionsRequestData> {

    private final SupportedVersions versions;
    private final ThisNode node;

    /**
     * Makes a handler.
     *
     * @param versions what to announce
     * @param node the node
     */
    public ApiVersionsHandler(SupportedVersions versions, ThisNode node) {
        this.versions = versions;
        this.node = node;
    }

    @Override
    public void handle(ApiRequest<ApiVersionsRequestData> request) {
        ApiVersionsResponseData response = new ApiVersionsResponseData()
                .setApiKeys(new ApiVersionCollection(versions.ranges().iterator()));
        if (!versions.contains(ApiKeys.API_VERSIONS, request.version())) {
            // The one response whose version the client cannot have agreed to: the first one, which every client reads.
            request.respond(response.setErrorCode(Errors.UNSUPPORTED_VERSION.code()), (short) 0);
            return;
        }
        request.respond(response.setErrorCode(error(request).code()));
    }

    private Errors error(ApiRequest<ApiVersionsRequestData> request) {
        ApiVersionsRequestData body = request.body();
        if (!new ApiVersionsRequest(body, request.version()).isValid()) {
            return Errors.INVALID_REQUEST;
        }
        boolean meant = body.clusterId() == null
                || body.nodeId() < 0
                || (body.clusterId().equals(node.clusterId()) && body.nodeId() == node.id());
        return meant ? Errors.NONE : Errors.REBOOTSTRAP_REQUIRED;
    }
}
