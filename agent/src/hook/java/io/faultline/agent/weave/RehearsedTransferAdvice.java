package io.faultline.agent.weave;

import java.io.IOException;
import java.nio.channels.FaultlineHook;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import net.bytebuddy.asm.Advice;

/**
 * Woven into {@code FileChannelImpl.transferTo} instead of {@link TransferAdvice} where failures are rehearsed, and only there.
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

    /** Inlined; never called. As in {@link TransferAdvice}; a failure of the beginning does not come by here. */
    @Advice.OnMethodExit(onThrowable = Throwable.class, backupArguments = false)
    static void ended(
            @Advice.This FileChannel channel,
            @Advice.Argument(0) long position,
            @Advice.Argument(1) long count,
            @Advice.Argument(2) WritableByteChannel target,
            @Advice.Return long sent,
            @Advice.Thrown Throwable failure) {
        FaultlineHook.transferEnded(channel, position, count, target, sent, failure);
    }
}
