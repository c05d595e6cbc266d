package io.faultline.agent.core;

import io.faultline.classifier.Classification;
import io.faultline.classifier.FailedTransfer;
import io.faultline.classifier.FailureClassifier;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.FailureHints;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import io.faultline.classifier.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
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
        BlockingQueue<Classification> verdicts = new LinkedBlockingQueue<>();
        OwnerOfEverything owner = new OwnerOfEverything(file.getRoot().toString());
        try (FailureClassifier own =
                        FailureClassifier.publishingTo(feed).hints(hints).build();
                FileChannel readable = FileChannel.open(file, StandardOpenOption.READ)) {
            feed.register(owner);
            feed.observe("self-check", verdicts::add);
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
            Classification ofTransfer = verdicts.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (ofTransfer == null || ofTransfer.reason() != Reason.REGION_READABLE) {
                return "a failed transfer of a readable file was judged " + ofTransfer;
            }
            own.submit(FailedTransfer.ofRead(readable, file.toString(), 0, 1, new IOException("self-check")));
            Classification ofRead = verdicts.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return ofRead != null && ofRead.action() == OwnerAction.FED && owner.told
                    ? null
                    : "a failed read was judged " + ofRead;
        } catch (IOException | InterruptedException failed) {
            return "it could not be run: " + failed;
        } finally {
            channel = null;
            classifier = null;
        }
    }

    /** Claims the whole file system, in this check's own feed only. */
    private static final class OwnerOfEverything implements LogDirOwner {

        private final String root;
        private volatile boolean told;

        private OwnerOfEverything(String root) {
            this.root = root;
        }

        @Override
        public String name() {
            return "self-check";
        }

        @Override
        public Collection<String> directories() {
            return List.of(root);
        }

        @Override
        public boolean isOffline(String directory) {
            return false;
        }

        @Override
        public OwnerAction takeOffline(String directory, Classification why) {
            told = true;
            return OwnerAction.FED;
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
