package io.faultline.broker.api;

import io.faultline.broker.group.GroupClient;
import io.faultline.broker.group.GroupCoordinator;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;

/** Lets members join their groups. */
public final class JoinGroupHandler implements RequestHandler<JoinGroupRequestData> {

    private static final short FIRST_WITHOUT_A_PROTOCOL = 7;

    private final GroupCoordinator groups;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     */
    public JoinGroupHandler(GroupCoordinator groups) {
        this.groups = groups;
    }

    @Override
    public void handle(ApiRequest<JoinGroupRequestData> request) {
        short version = request.version();
        GroupClient client =
                new GroupClient(request.clientId(), request.origin().clientHost());
        groups.join(request.body(), version, client, response -> respond(request, response));
    }

    private static void respond(ApiRequest<JoinGroupRequestData> request, JoinGroupResponseData response) {
        if (response.errorCode() != 0 && request.version() >= FIRST_WITHOUT_A_PROTOCOL) {
            response.setProtocolName(null);
        }
        request.respond(response);
    }
}
