package io.faultline.agent.weave;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FaultlineHook;
import java.nio.channels.FileChannel;
import net.bytebuddy.asm.Advice;

/** Woven into {@code FileChannelImpl.read(ByteBuffer, long)} where failures are rehearsed, and only there. */
final class RehearsedReadAdvice {

    private RehearsedReadAdvice() {}

    /**
     * Inlined; never called. Cuts the read short of the chosen region, or fails it inside.
     *
     * @return the buffer's limit before it was cut
     */
    @Advice.OnMethodEnter
    static int begins(
            @Advice.This FileChannel channel, @Advice.Argument(0) ByteBuffer buffer, @Advice.Argument(1) long position)
            throws IOException {
        int limit = buffer.limit();
        long permitted = FaultlineHook.rehearseRead(channel, position, buffer.remaining());
        buffer.limit(buffer.position() + (int) permitted);
        return limit;
    }

    /** Inlined; never called. Gives the caller's buffer its limit back. */
    @Advice.OnMethodExit(onThrowable = Throwable.class)
    static void ended(@Advice.Argument(0) ByteBuffer buffer, @Advice.Enter int limit) {
        buffer.limit(limit);
    }
}
