package io.faultline.broker.api;

import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;

/** Says that no partition is on its way to another node: there is none. */
public final class ListPartitionReassignmentsHandler implements RequestHandler<ListPartitionReassignmentsRequestData> {

    @Override
    public void handle(ApiRequest<ListPartitionReassignmentsRequestData> request) {
        request.respond(new ListPartitionReassignmentsResponseData());
    }
}
