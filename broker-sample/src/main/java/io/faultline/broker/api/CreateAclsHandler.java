package io.faultline.broker.api;

import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateAclsResponseData;
import org.apache.kafka.common.message.CreateAclsResponseData.AclCreationResult;
import org.apache.kafka.common.protocol.Errors;

/** Refuses to keep anybody from anything. */
public final class CreateAclsHandler implements RequestHandler<CreateAclsRequestData> {

    @Override
    public void handle(ApiRequest<CreateAclsRequestData> request) {
        CreateAclsResponseData response = new CreateAclsResponseData();
        request.body()
                .creations()
                .forEach(creation -> response.results()
                        .add(new AclCreationResult()
                                .setErrorCode(Errors.SECURITY_DISABLED.code())
                                .setErrorMessage(DescribeAclsHandler.NO_AUTHORIZER)));
        request.respond(response);
    }
}
