package io.faultline.broker.api;

import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Gives idempotent producers their ids; a transactional one is refused for good. */
public final class InitProducerIdHandler implements RequestHandler<InitProducerIdRequestData> {

    private static final short FIRST_EPOCH = 0;

    private final ProducerIds ids;

    /**
     * Makes a handler.
     *
     * @param ids issues the ids
     */
    public InitProducerIdHandler(ProducerIds ids) {
        this.ids = ids;
    }

    @Override
    public void handle(ApiRequest<InitProducerIdRequestData> request) {
        InitProducerIdResponseData response = new InitProducerIdResponseData();
        String transactionalId = request.body().transactionalId();
        if (transactionalId == null) {
            response.setProducerId(ids.issue()).setProducerEpoch(FIRST_EPOCH);
        } else {
            Errors error = transactionalId.isEmpty() ? Errors.INVALID_REQUEST : Transactions.ERROR;
            response.setErrorCode(error.code()).setProducerEpoch((short) -1);
        }
        request.respond(response);
    }
}
