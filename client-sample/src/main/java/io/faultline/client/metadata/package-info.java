/**
 * The client's view of the cluster: which brokers there are, and which of them leads a partition.
 *
 * <p>{@link io.faultline.client.metadata.ClusterView} is what is known, immutable; {@link io.faultline.client.metadata.Metadata}
 * keeps it fresh. A view with an older leader epoch never replaces a newer one. While no known broker answers, the bootstrap
 * addresses are asked beside them, their names resolved again.
 */
package io.faultline.client.metadata;
