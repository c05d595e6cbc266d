package io.faultline.client.produce;

import io.faultline.client.metadata.ClusterView;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.metadata.MetadataListener;
import io.faultline.client.metadata.TopicView;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/** Callers who wait for a topic to be known. On the loop. */
final class TopicWaits implements MetadataListener {

    private final Metadata metadata;
    private final List<Wait> waits = new ArrayList<>();

    TopicWaits(Metadata metadata) {
        this.metadata = metadata;
        metadata.listen(this);
    }

    /**
     * Waits for a topic.
     *
     * @param partition that it must have; -1 for any
     * @param known completed on the loop when it is known; whoever waits gives up by completing it
     */
    void await(String topic, int partition, CompletableFuture<TopicView> known) {
        Wait wait = new Wait(topic, partition, known);
        if (!wait.endsWith(metadata.view())) {
            waits.add(wait);
            metadata.want(topic);
            if (metadata.view().topic(topic).isPresent()) {
                metadata.refresh(); // the partition may have been added
            }
        }
    }

    @Override
    public void onView(ClusterView before, ClusterView now) {
        waits.removeIf(wait -> wait.known.isDone() || wait.endsWith(now));
        for (Wait wait : waits) {
            metadata.want(wait.topic);
            metadata.refresh();
        }
    }

    @Override
    public void onTopicError(String topic, Errors error) {
        if (error.exception() instanceof RetriableException) {
            return;
        }
        for (Iterator<Wait> each = waits.iterator(); each.hasNext(); ) {
            Wait wait = each.next();
            if (wait.topic.equals(topic)) {
                each.remove();
                wait.known.completeExceptionally(error.exception());
            }
        }
    }

    @Override
    public void onFailure(Exception cause) {
        if (cause instanceof AuthenticationException) {
            failAll((AuthenticationException) cause);
        }
    }

    void failAll(KafkaException cause) {
        waits.forEach(wait -> wait.known.completeExceptionally(cause));
        waits.clear();
    }

    private record Wait(String topic, int partition, CompletableFuture<TopicView> known) {

        boolean endsWith(ClusterView view) {
            TopicView found = view.topic(topic).orElse(null);
            boolean ends = found != null
                    && !found.partitions().isEmpty()
                    && (partition < 0 || found.partition(partition).isPresent());
            if (ends) {
                known.complete(found);
            }
            return ends;
        }
    }
}
