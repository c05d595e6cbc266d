package io.faultline.broker.api;

import io.faultline.broker.group.GroupCoordinator;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.Errors;

/** Describes groups and their members. */
public final class DescribeGroupsHandler implements RequestHandler<DescribeGroupsRequestData> {

    private static final short FIRST_THAT_SAYS_SO = 6;

    private final GroupCoordinator groups;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     */
    public DescribeGroupsHandler(GroupCoordinator groups) {
        this.groups = groups;
    }

    @Override
    public void handle(ApiRequest<DescribeGroupsRequestData> request) {
        DescribeGroupsResponseData response = new DescribeGroupsResponseData();
        for (String group : request.body().groups()) {
            response.groups().add(groups.describe(group).orElseGet(() -> unknown(group, request.version())));
        }
        int operations = AuthorizedOperations.GROUP.bits(request.body().includeAuthorizedOperations());
        response.groups().forEach(group -> group.setAuthorizedOperations(operations));
        request.respond(response);
    }

    /** Older clients take a dead group for one that is not there. */
    private static DescribedGroup unknown(String group, short version) {
        DescribedGroup dead = new DescribedGroup().setGroupId(group).setGroupState("Dead");
        return version < FIRST_THAT_SAYS_SO
                ? dead
                : dead.setErrorCode(Errors.GROUP_ID_NOT_FOUND.code()).setErrorMessage("Group " + group + " not found.");
    }
}
