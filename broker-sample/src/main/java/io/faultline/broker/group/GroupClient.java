package io.faultline.broker.group;

/**
 * The client behind a member, for descriptions.
 *
 * @param id the client id
 * @param host the address that it connects from
 */
public record GroupClient(String id, String host) {}
