package io.faultline.agent.weave;

import java.nio.channels.FaultlineHook;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import net.bytebuddy.asm.Advice;

/** What is woven into {@code FileChannelImpl.transferTo}: one call at its end, whichever way it ends. */
final class TransferAdvice {

    private TransferAdvice() {}

    /**
     * Inlined; never called. The arguments are not backed up, so that the count is the one that the JDK clamped to what is left of the file: the
     * caller's may be {@link Long#MAX_VALUE}.
     */
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
