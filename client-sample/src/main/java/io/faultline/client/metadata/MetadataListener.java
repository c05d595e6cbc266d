package io.faultline.client.metadata;

import org.apache.kafka.common.protocol.Errors;

/** Hears of the view, on the loop. */
public interface MetadataListener {

    /**
     * There is a newer view.
     *
     * @param before the view before
     * @param now the view from now on
     */
    void onView(ClusterView before, ClusterView now);

    /**
     * A broker said that there is something wrong with a topic that was asked about.
     *
     * @param topic its name
     * @param error what is wrong; it may be over with the next answer if it is retriable
     */
    void onTopicError(String topic, Errors error);

    /**
     * Nobody could be asked, and it will be tried again.
     *
     * @param cause why not; an {@link org.apache.kafka.common.errors.AuthenticationException} if the peers do not trust each
     *     other
     */
    void onFailure(Exception cause);
}
