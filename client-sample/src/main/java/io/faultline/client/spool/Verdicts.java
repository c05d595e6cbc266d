package io.faultline.client.spool;

import io.faultline.classifier.Classification;
import io.faultline.classifier.FailedTransfer;
import io.faultline.classifier.Subscription;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.network.FileSendException;
import io.faultline.client.protocol.FramePart.FileRegion;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Waits for the verdicts on transfers of one spool that failed. A verdict is recognised by the open file and by the exception of the
 * transfer, the very objects: neither another client nor a broker in the same JVM has those. On the loop.
 *
 * <p>An agent hears of a failure before the loop does, so a verdict may be here before somebody waits for it.
 */
public final class Verdicts implements AutoCloseable {

    private static final int MOST_EARLY = 64;

    private final EventLoop loop;
    private final Spool spool;
    private final VerdictSource source;
    private final Subscription subscription;
    private final Map<Throwable, Consumer<Optional<Classification>>> waiting = new IdentityHashMap<>();
    private final Map<Long, Classification> early = new LinkedHashMap<>(); // by the order in which they came
    private long came;

    /**
     * Subscribes.
     *
     * @param loop where verdicts are told
     * @param spool whose transfers
     * @param source who tells
     */
    public Verdicts(EventLoop loop, Spool spool, VerdictSource source) {
        this.loop = loop;
        this.spool = spool;
        this.source = source;
        this.subscription = source.feed().observe("spool", classification -> {
            if (spool.owns(classification.channel())) {
                loop.execute(() -> arrived(classification));
            }
        });
    }

    private void arrived(Classification verdict) {
        Consumer<Optional<Classification>> waiter = waiting.remove(verdict.transferFailure());
        if (waiter != null) {
            waiter.accept(Optional.of(verdict));
            return;
        }
        early.put(came++, verdict);
        if (early.size() > MOST_EARLY) {
            early.remove(early.keySet().iterator().next());
        }
    }

    /**
     * Waits for a verdict.
     *
     * @param failure what could not be sent; its target is known
     * @param patience for how long
     * @param onVerdict told the verdict, or that there is none; perhaps before this returns
     */
    public void await(FileSendException failure, Duration patience, Consumer<Optional<Classification>> onVerdict) {
        Throwable cause = failure.getCause();
        for (Map.Entry<Long, Classification> each : early.entrySet()) {
            if (each.getValue().transferFailure() == cause) {
                early.remove(each.getKey());
                onVerdict.accept(Optional.of(each.getValue()));
                return;
            }
        }
        Timer watchdog = loop.watchdogs().arm(Watchdog.VERDICT, failure.region().name(), loop.in(patience), () -> {
            waiting.remove(cause);
            onVerdict.accept(Optional.empty());
        });
        waiting.put(cause, verdict -> {
            watchdog.disarm();
            onVerdict.accept(verdict);
        });
        FileRegion region = failure.region();
        source.submit()
                .accept(FailedTransfer.ofTransfer(
                        region.channel(), region.name(), region.position(), region.size(), failure.target(), cause));
    }

    @Override
    public void close() {
        subscription.close();
    }
}
