package io.faultline.broker;

import io.faultline.broker.api.RequestDispatcher;

/** What tests of other packages may see of a broker. */
public final class BrokerInside {

    private BrokerInside() {}

    /**
     * What answers a broker's requests.
     *
     * @param broker a running broker
     * @return its dispatcher
     */
    public static RequestDispatcher dispatcher(EmbeddedBroker broker) {
        return broker.broker().dispatcher();
    }
}
