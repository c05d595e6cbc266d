package io.faultline.broker.api;

import io.faultline.broker.group.GroupCoordinator;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Takes the signs of life of members. */
public final class HeartbeatHandler implements RequestHandler<HeartbeatRequestData> {

    private final GroupCoordinator groups;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     */
    public HeartbeatHandler(GroupCoordinator groups) {
        this.groups = groups;
    }

    @Override
    public void handle(ApiRequest<HeartbeatRequestData> request) {
        HeartbeatRequestData body = request.body();
        HeartbeatResponseData response = new HeartbeatResponseData();
        try {
            groups.heartbeat(body.groupId(), body.memberId(), body.groupInstanceId(), body.generationId());
        } catch (ApiException refused) {
            response.setErrorCode(Errors.forException(refused).code());
        }
        request.respond(response);
    }
}
