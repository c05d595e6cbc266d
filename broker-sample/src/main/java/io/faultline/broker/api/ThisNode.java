package io.faultline.broker.api;

/**
 * The one node of the cluster.
 *
 * @param id the {@code node.id}
 * @param clusterId the id of the cluster
 */
public record ThisNode(int id, String clusterId) {}
