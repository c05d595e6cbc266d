package io.faultline.client.produce;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.CallFailure.Reason;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Gets producer ids from the cluster. On the loop. */
final class ProducerIds {

    private static final Duration NEXT_BROKER = Duration.ofSeconds(1);

    private final EventLoop loop;
    private final Network network;
    private final Duration requestTimeout;
    private final Backoff backoff;
    private final Consumer<ProducerIdentity> onIdentity;
    private final Consumer<KafkaException> onRefused;
    private final Set<PeerId> asked = new HashSet<>();
    private boolean asking;
    private int round;
    private Timer next;
    private int failures;

    /**
     * Makes the asker, who has not asked.
     *
     * @param onIdentity told of each id that was wanted
     * @param onRefused told when the cluster will give none
     */
    ProducerIds(
            EventLoop loop,
            Network network,
            Duration requestTimeout,
            Backoff backoff,
            Consumer<ProducerIdentity> onIdentity,
            Consumer<KafkaException> onRefused) {
        this.loop = loop;
        this.network = network;
        this.requestTimeout = requestTimeout;
        this.backoff = backoff;
        this.onIdentity = onIdentity;
        this.onRefused = onRefused;
    }

    /** Wants an id that nobody has had, soon. Does nothing while one is on its way, or no broker is known. */
    void want() {
        if (!asking && !network.brokers().isEmpty()) {
            asking = true;
            askNext();
        }
    }

    /** Asks one more broker, and the next one in a second: a frozen one must not cost a request time-out. */
    private void askNext() {
        if (next != null) {
            next.disarm();
        }
        next = loop.watchdogs()
                .schedule("asking one more broker for a producer id", loop.in(NEXT_BROKER), this::askNext);
        network.brokers().stream()
                .map(PeerId::broker)
                .filter(peer -> !asked.contains(peer))
                .min(Comparator.<PeerId>comparingInt(peer -> network.isReady(peer) ? 0 : 1)
                        .thenComparingInt(network::failures)
                        .thenComparingInt(network::inFlight))
                .ifPresent(this::ask);
    }

    private void ask(PeerId peer) {
        asked.add(peer);
        int askedIn = round;
        network.call(
                peer,
                Call.of(
                        ApiKeys.INIT_PRODUCER_ID,
                        version -> new InitProducerIdRequestData()
                                .setTransactionalId(null)
                                .setTransactionTimeoutMs(Integer.MAX_VALUE),
                        requestTimeout,
                        new Call.Handler<InitProducerIdResponseData>() {
                            @Override
                            public void onResponse(InitProducerIdResponseData response, short version) {
                                if (askedIn == round) {
                                    answered(response);
                                }
                            }

                            @Override
                            public void onFailure(CallFailure failure) {
                                if (askedIn == round) {
                                    failed(failure.asException(), failure.reason() != Reason.UNSUPPORTED_VERSION);
                                }
                            }
                        }));
    }

    private void answered(InitProducerIdResponseData response) {
        Errors error = Errors.forCode(response.errorCode());
        if (error == Errors.NONE) {
            endRound();
            failures = 0;
            onIdentity.accept(new ProducerIdentity(response.producerId(), response.producerEpoch()));
        } else {
            failed(
                    new KafkaException("no producer id: " + error.message(), error.exception()),
                    error.exception() instanceof RetriableException);
        }
    }

    private void endRound() {
        round++;
        asking = false;
        asked.clear();
        next.disarm();
    }

    private void failed(KafkaException cause, boolean mayWorkLater) {
        if (!mayWorkLater) {
            endRound();
            onRefused.accept(cause);
        } else if (asked.containsAll(
                network.brokers().stream().map(PeerId::broker).toList())) {
            endRound();
            asking = true; // until the pause is over
            failures++;
            loop.watchdogs().arm(Watchdog.RETRY_BACKOFF, "a producer id", loop.in(backoff.after(failures)), () -> {
                asking = false;
                want();
            });
        } else {
            askNext();
        }
    }
}
