package io.faultline.broker.api;

import io.faultline.broker.group.GroupCoordinator;
import java.util.List;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;

/** Names groups. */
public final class ListGroupsHandler implements RequestHandler<ListGroupsRequestData> {

    private final GroupCoordinator groups;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     */
    public ListGroupsHandler(GroupCoordinator groups) {
        this.groups = groups;
    }

    @Override
    public void handle(ApiRequest<ListGroupsRequestData> request) {
        List<String> states = request.body().statesFilter();
        List<String> types = request.body().typesFilter();
        List<ListedGroup> listed = groups.list().stream()
                .filter(group -> isWanted(group.groupState(), states) && isWanted(group.groupType(), types))
                .toList();
        request.respond(new ListGroupsResponseData().setGroups(listed));
    }

    private static boolean isWanted(String value, List<String> filter) {
        return filter.isEmpty() || filter.stream().anyMatch(value::equalsIgnoreCase);
    }
}
