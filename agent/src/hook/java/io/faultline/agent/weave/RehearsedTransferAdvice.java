package io.faultline.agent.weave;

import java.io.IOException;
import java.nio.channels.FaultlineHook;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import net.bytebuddy.asm.Advice;

/**
 * Woven into {@code FileChannelImpl.transferTo} where failures are rehearsed, and only there. What it throws does not come by the end of the transfer, which is woven, too: the hook has handed it over.
 */
final class RehearsedTransferAdvice {

    private RehearsedTransferAdvice() {}

    /** Inlined; never called. Cuts the transfer short of the chosen region, as a kernel does, or fails it inside. */
    @Advice.OnMethodEnter
    static void begins(
            @Advice.This FileChannel channel,
            @Advice.Argument(0) long position,
            @Advice.Argument(value = 1, readOnly = false) long count,
            @Advice.Argument(2) WritableByteChannel target)
            throws IOException {
        count = FaultlineHook.rehearseTransfer(channel, position, count, target);
    }
}
