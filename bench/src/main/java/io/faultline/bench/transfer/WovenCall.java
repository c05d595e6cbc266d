package io.faultline.bench.transfer;

import io.faultline.bench.measure.CpuTime;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** The call that is woven into each transfer, made without the transfer: for its own cost, which next to a transfer's is hard to see. Only where the agent is attached, which brings its class. */
final class WovenCall implements AutoCloseable {

    private static final MethodHandle ENDED = ended();

    private final FileChannel file;
    private final WritableByteChannel target;

    private WovenCall(FileChannel file, WritableByteChannel target) {
        this.file = file;
        this.target = target;
    }

    static WovenCall of(Path file, WritableByteChannel target) throws IOException {
        return new WovenCall(FileChannel.open(file), target);
    }

    /** Processor time of a call, in nanoseconds. */
    double nanos(int calls) throws Exception {
        return (double) CpuTime.of(() -> make(calls)) / calls;
    }

    private void make(int calls) throws Exception {
        try {
            for (int call = 0; call < calls; call++) {
                ENDED.invokeExact(file, (long) call, 1L, target, 1L, (Throwable) null);
            }
        } catch (Throwable never) { // by its contract
            throw new IllegalStateException(never);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private static MethodHandle ended() {
        try {
            return MethodHandles.publicLookup()
                    .findStatic(
                            Class.forName("java.nio.channels.FaultlineHook"),
                            "transferEnded",
                            MethodType.methodType(
                                    void.class,
                                    FileChannel.class,
                                    long.class,
                                    long.class,
                                    WritableByteChannel.class,
                                    long.class,
                                    Throwable.class));
        } catch (ReflectiveOperationException notAttached) {
            throw new IllegalStateException("the agent is not attached", notAttached);
        }
    }
}
