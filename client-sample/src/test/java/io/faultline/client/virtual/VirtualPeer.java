package io.faultline.client.virtual;

import io.faultline.client.virtual.VirtualNetwork.VirtualLink;
import java.nio.ByteBuffer;

/** What listens at a virtual address. */
interface VirtualPeer {

    /** Whether nobody listens. */
    boolean refuses();

    /** Whether no packet comes through, in either direction. */
    boolean isCutOff();

    /** Takes a frame without its length. */
    void receive(VirtualLink from, ByteBuffer frame);
}
