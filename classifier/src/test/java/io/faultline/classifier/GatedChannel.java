package io.faultline.classifier;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A channel of a real file whose reads wait at a gate: it stands for a disk that takes its time, where no real one is needed. */
final class GatedChannel extends ObservedChannel {

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    GatedChannel(Path file) throws IOException {
        super(file);
    }

    /** Waits until a read stands at the gate. */
    void awaitRead() throws InterruptedException {
        reached.await();
    }

    void open() {
        open.countDown();
    }

    @Override
    void beforeRead(long position) throws IOException {
        reached.countDown();
        try {
            open.await();
        } catch (InterruptedException stranger) {
            throw new InterruptedIOException();
        }
    }
}
