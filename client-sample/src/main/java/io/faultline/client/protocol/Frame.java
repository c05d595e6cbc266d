package io.faultline.client.protocol;

import java.util.List;

/**
 * A request as it goes over the wire, its length in front.
 *
 * @param parts what it is made of, in order
 * @param released called on the loop, once, when nothing reads the parts any more: they have been handed to the kernel or
 *     never will be
 */
public record Frame(List<FramePart> parts, Runnable released) {

    /**
     * How long it is.
     *
     * @return bytes, the four of the length included
     */
    public long size() {
        return parts.stream().mapToLong(FramePart::size).sum();
    }
}
