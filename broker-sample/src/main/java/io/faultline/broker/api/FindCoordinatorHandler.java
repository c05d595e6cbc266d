package io.faultline.broker.api;

import java.util.List;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/**
 * Names the coordinator of a group or a transaction: with one node there is one candidate. What it coordinates is said by the
 * announced APIs.
 */
public final class FindCoordinatorHandler implements RequestHandler<FindCoordinatorRequestData> {

    private static final short FIRST_WITH_SEVERAL_KEYS = 4;

    private final ThisNode node;

    /**
     * Makes a handler.
     *
     * @param node the node
     */
    public FindCoordinatorHandler(ThisNode node) {
        this.node = node;
    }

    @Override
    public void handle(ApiRequest<FindCoordinatorRequestData> request) {
        boolean known = request.body().keyType() == CoordinatorType.GROUP.id()
                || request.body().keyType() == CoordinatorType.TRANSACTION.id();
        Errors error = known ? Errors.NONE : Errors.INVALID_REQUEST;
        int id = known ? node.id() : -1;
        String host = known ? request.listener().host() : "";
        int port = known ? request.listener().port() : -1;
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (request.version() < FIRST_WITH_SEVERAL_KEYS) {
            response.setErrorCode(error.code()).setNodeId(id).setHost(host).setPort(port);
        } else {
            List<Coordinator> coordinators = request.body().coordinatorKeys().stream()
                    .map(key -> new Coordinator()
                            .setKey(key)
                            .setErrorCode(error.code())
                            .setNodeId(id)
                            .setHost(host)
                            .setPort(port))
                    .toList();
            response.setCoordinators(coordinators);
        }
        request.respond(response);
    }
}
