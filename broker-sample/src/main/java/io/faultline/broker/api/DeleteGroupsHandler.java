package io.faultline.broker.api;

import io.faultline.broker.group.GroupCoordinator;
import java.util.LinkedHashSet;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.protocol.Errors;

/** Deletes groups that have no members. */
public final class DeleteGroupsHandler implements RequestHandler<DeleteGroupsRequestData> {

    private final GroupCoordinator groups;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     */
    public DeleteGroupsHandler(GroupCoordinator groups) {
        this.groups = groups;
    }

    @Override
    public void handle(ApiRequest<DeleteGroupsRequestData> request) {
        DeleteGroupsResponseData response = new DeleteGroupsResponseData();
        for (String group : new LinkedHashSet<>(request.body().groupsNames())) {
            DeletableGroupResult result = new DeletableGroupResult().setGroupId(group);
            try {
                groups.delete(group);
            } catch (ApiException refused) {
                result.setErrorCode(Errors.forException(refused).code()).setErrorMessage(ErrorText.of(refused));
            }
            response.results().add(result);
        }
        request.respond(response);
    }
}
