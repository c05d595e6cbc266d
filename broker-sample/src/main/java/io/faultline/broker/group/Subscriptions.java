package io.faultline.broker.group;

import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;

/** What the members of a group of consumers say they read. The broker needs it for one thing only: to delete no offset in use. */
final class Subscriptions {

    private Subscriptions() {}

    /** Says whether a member reads a topic; true where it does not say so in the consumers' way. */
    static boolean mayRead(String protocolType, byte[] metadata, String topic) {
        if (!protocolType.equals(ConsumerProtocol.PROTOCOL_TYPE)) {
            return true;
        }
        try {
            return ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(metadata))
                    .topics()
                    .contains(topic);
        } catch (RuntimeException unreadable) {
            return true;
        }
    }
}
