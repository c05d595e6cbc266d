package io.faultline.broker.api;

import io.faultline.broker.group.GroupCoordinator;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.protocol.Errors;

/** Lets members go, one or several. */
public final class LeaveGroupHandler implements RequestHandler<LeaveGroupRequestData> {

    private static final short FIRST_WITH_SEVERAL_MEMBERS = 3;

    private final GroupCoordinator groups;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     */
    public LeaveGroupHandler(GroupCoordinator groups) {
        this.groups = groups;
    }

    @Override
    public void handle(ApiRequest<LeaveGroupRequestData> request) {
        LeaveGroupRequestData body = request.body();
        LeaveGroupResponseData response = new LeaveGroupResponseData();
        if (request.version() < FIRST_WITH_SEVERAL_MEMBERS) {
            response.setErrorCode(leave(body.groupId(), body.memberId(), null).code());
        } else if (body.groupId().isEmpty()) {
            response.setErrorCode(Errors.INVALID_GROUP_ID.code());
        } else {
            for (MemberIdentity member : body.members()) {
                Errors error = leave(body.groupId(), member.memberId(), member.groupInstanceId());
                response.members()
                        .add(new MemberResponse()
                                .setMemberId(member.memberId())
                                .setGroupInstanceId(member.groupInstanceId())
                                .setErrorCode(error.code()));
            }
        }
        request.respond(response);
    }

    private Errors leave(String groupId, String memberId, String instanceId) {
        try {
            groups.leave(groupId, memberId, instanceId);
            return Errors.NONE;
        } catch (ApiException refused) {
            return Errors.forException(refused);
        }
    }
}
