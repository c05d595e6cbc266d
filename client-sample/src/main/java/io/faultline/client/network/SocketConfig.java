package io.faultline.client.network;

/**
 * How sockets are set up.
 *
 * @param sendBufferBytes {@code send.buffer.bytes}, -1 for the system's choice
 * @param receiveBufferBytes {@code receive.buffer.bytes}, -1 for the system's choice
 * @param largestFrame {@code response.max.bytes}
 */
public record SocketConfig(int sendBufferBytes, int receiveBufferBytes, int largestFrame) {}
