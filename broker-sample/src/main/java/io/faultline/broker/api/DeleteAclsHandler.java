package io.faultline.broker.api;

import org.apache.kafka.common.message.DeleteAclsRequestData;
import org.apache.kafka.common.message.DeleteAclsResponseData;
import org.apache.kafka.common.message.DeleteAclsResponseData.DeleteAclsFilterResult;
import org.apache.kafka.common.protocol.Errors;

/** Says that nobody is kept from anything, so that there is nothing to delete. */
public final class DeleteAclsHandler implements RequestHandler<DeleteAclsRequestData> {

    @Override
    public void handle(ApiRequest<DeleteAclsRequestData> request) {
        DeleteAclsResponseData response = new DeleteAclsResponseData();
        request.body()
                .filters()
                .forEach(filter -> response.filterResults()
                        .add(new DeleteAclsFilterResult()
                                .setErrorCode(Errors.SECURITY_DISABLED.code())
                                .setErrorMessage(DescribeAclsHandler.NO_AUTHORIZER)));
        request.respond(response);
    }
}
