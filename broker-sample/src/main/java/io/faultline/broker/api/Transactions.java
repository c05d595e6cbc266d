package io.faultline.broker.api;

import org.apache.kafka.common.protocol.Errors;

/** That there are no transactions, said so that a producer gives up at once. */
final class Transactions {

    /**
     * The one error that the Java client and librdkafka both take for fatal, wherever they meet it. They would try again on
     * most others.
     */
    static final Errors ERROR = Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;

    static final String REFUSAL = "this broker has no transactions: remove transactional.id";

    private Transactions() {}
}
