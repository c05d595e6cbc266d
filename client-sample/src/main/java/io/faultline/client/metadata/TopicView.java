package io.faultline.client.metadata;

import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/**
 * A topic as it was last heard of.
 *
 * @param name its name
 * @param id its id, {@link Uuid#ZERO_UUID} if the broker is too old to have one
 * @param partitions its partitions by index
 */
public record TopicView(String name, Uuid id, Map<Integer, PartitionView> partitions) {

    /** Copies the map. */
    public TopicView {
        partitions = Map.copyOf(partitions);
    }

    /**
     * A partition.
     *
     * @param index its index
     * @return what is known of it
     */
    public Optional<PartitionView> partition(int index) {
        return Optional.ofNullable(partitions.get(index));
    }
}
