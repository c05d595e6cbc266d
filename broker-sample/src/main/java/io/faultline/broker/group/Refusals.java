package io.faultline.broker.group;

import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;

/** What members are answered with who may not join, or get no assignment. */
final class Refusals {

    private Refusals() {}

    static JoinGroupResponseData join(String memberId, Errors error) {
        return new JoinGroupResponseData()
                .setErrorCode(error.code())
                .setMemberId(memberId)
                .setProtocolName("");
    }

    static SyncGroupResponseData sync(Errors error) {
        return new SyncGroupResponseData().setErrorCode(error.code());
    }
}
