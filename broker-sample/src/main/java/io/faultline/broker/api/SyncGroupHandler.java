package io.faultline.broker.api;

import io.faultline.broker.group.GroupCoordinator;
import org.apache.kafka.common.message.SyncGroupRequestData;

/** Tells members what they were assigned. */
public final class SyncGroupHandler implements RequestHandler<SyncGroupRequestData> {

    private final GroupCoordinator groups;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     */
    public SyncGroupHandler(GroupCoordinator groups) {
        this.groups = groups;
    }

    @Override
    public void handle(ApiRequest<SyncGroupRequestData> request) {
        groups.sync(request.body(), request::respond);
    }
}
