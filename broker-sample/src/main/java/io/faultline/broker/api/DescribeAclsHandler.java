package io.faultline.broker.api;

import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeAclsResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Says that nobody is kept from anything. */
public final class DescribeAclsHandler implements RequestHandler<DescribeAclsRequestData> {

    static final String NO_AUTHORIZER = "No Authorizer is configured.";

    @Override
    public void handle(ApiRequest<DescribeAclsRequestData> request) {
        request.respond(new DescribeAclsResponseData()
                .setErrorCode(Errors.SECURITY_DISABLED.code())
                .setErrorMessage(NO_AUTHORIZER));
    }
}
