package io.faultline.classifier;

import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test that leaves a thread of the classifier behind. */
final class LeavesNoThread implements AfterEachCallback {

    @Override
    public void afterEach(ExtensionContext context) {
        RunningClassifier.until("end of all threads", () -> threads().isEmpty());
    }

    static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith("faultline-"))
                .toList();
    }
}
