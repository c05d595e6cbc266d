package io.faultline.agent.core;

import io.faultline.classifier.Classification;
import io.faultline.classifier.FailedTransfer;
import io.faultline.classifier.FailureClassifier;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.FailureHints;
import io.faultline.classifier.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Drives the whole path of a failure once, from a transfer that fails to its verdict: it shows that the weaving took, and loads every class that a failure
 * needs before one happens on a network thread. It uses a classifier of its own, so that the host's accounts hold the host's failures only.
 */
final class SelfCheck {

    private static final long PATIENCE_SECONDS = 10;

    private final Path file;
    private final FailureHints hints;
    private volatile FileChannel channel;
    private volatile FailureClassifier classifier;
    private volatile boolean seen;

    SelfCheck(Path file, FailureHints hints) {
        this.file = file;
        this.hints = hints;
    }

    /** Says whether a failure is this check's own. */
    boolean owns(FileChannel other) {
        return other == channel;
    }

    /** Says whether the hook handed this check's failure over. */
    boolean wasSeen() {
        return seen;
    }

    /** Takes a failure of this check's own file from the hook. */
    void take(FailedTransfer transfer) {
        seen = true;
        classifier.submit(transfer);
    }

    /**
     * Runs the check; takes milliseconds.
     *
     * @return null if all is well, else what is wrong
     */
    String run() {
        FailureFeed feed = new FailureFeed();
        CountDownLatch told = new CountDownLatch(1);
        Classification[] verdict = new Classification[1];
        try (FailureClassifier own =
                        FailureClassifier.publishingTo(feed).hints(hints).build();
                FileChannel readable = FileChannel.open(file, StandardOpenOption.READ)) {
            feed.observe("self-check", classification -> {
                verdict[0] = classification;
                told.countDown();
            });
            classifier = own;
            channel = readable;
            try {
                readable.transferTo(0, 1, new FailingTarget());
                return "a transfer that had to fail did not";
            } catch (IOException asItHadTo) {
                // It is on its way.
            }
            if (!seen) {
                return "the weaving did not take: a failed transfer was not seen";
            }
            if (!told.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return "a failed transfer got no verdict within " + PATIENCE_SECONDS + " s";
            }
            return verdict[0].reason() == Reason.REGION_READABLE ? null : "a readable file was judged " + verdict[0];
        } catch (IOException | InterruptedException failed) {
            return "it could not be run: " + failed;
        } finally {
            channel = null;
            classifier = null;
        }
    }

    /** A target that fails as a peer does that went away. */
    private static final class FailingTarget implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) throws IOException {
            throw new IOException("self-check");
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
