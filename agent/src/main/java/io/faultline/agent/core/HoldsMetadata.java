package io.faultline.agent.core;

/** An {@link io.faultline.classifier.LogDirOwner} whose directories hold what the whole node cannot do without, such as Kafka's metadata log. */
public interface HoldsMetadata {}
