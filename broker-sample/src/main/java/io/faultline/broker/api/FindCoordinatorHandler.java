package io.faultline.broker.api;

import java.util.List;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/**
 * Names the coordinator of a group: with one node there is one candidate. Transactions have none.
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
        byte keyType = request.body().keyType();
        boolean known = keyType == CoordinatorType.GROUP.id();
        Errors error = known ? Errors.NONE : refusal(keyType);
        String reason = error == Transactions.ERROR ? Transactions.REFUSAL : error.message();
        int id = known ? node.id() : -1;
        String host = known ? request.origin().listener().host() : "";
        int port = known ? request.origin().listener().port() : -1;
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (request.version() < FIRST_WITH_SEVERAL_KEYS) {
            response.setErrorCode(error.code())
                    .setErrorMessage(reason)
                    .setNodeId(id)
                    .setHost(host)
                    .setPort(port);
        } else {
            List<Coordinator> coordinators = request.body().coordinatorKeys().stream()
                    .map(key -> new Coordinator()
                            .setKey(key)
                            .setErrorCode(error.code())
                            .setErrorMessage(reason)
                            .setNodeId(id)
                            .setHost(host)
                            .setPort(port))
                    .toList();
            response.setCoordinators(coordinators);
        }
        request.respond(response);
    }

    private static Errors refusal(byte keyType) {
        return keyType == CoordinatorType.TRANSACTION.id() ? Transactions.ERROR : Errors.INVALID_REQUEST;
    }
}
