package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.PeerId;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** What every client is made of, running, with nothing on top of it. */
final class RunningCore implements AutoCloseable, ClientCore.Owner {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ClientCore core;
    private final CompletableFuture<KafkaException> lost = new CompletableFuture<>();

    private RunningCore(ClientCore core) {
        this.core = core;
        core.start(this);
    }

    /** Starts one with short set-up time-outs, so that a test need not wait long. */
    static RunningCore start(String bootstrap, Wiring wiring, Map<String, String> more) {
        Map<String, String> given = new HashMap<>(Map.of(
                "bootstrap.servers",
                bootstrap,
                "socket.connection.setup.timeout.ms",
                "500",
                "socket.connection.setup.timeout.max.ms",
                "500"));
        given.putAll(more);
        ClientConfig config = ClientConfig.of(
                ClientKeys.parse(ClientKeys.taken(ProducerConfig.configDef(), List.of()), given),
                "test",
                Duration.ofMinutes(5),
                true);
        return new RunningCore(new ClientCore(config, wiring, loop -> Runnable::run));
    }

    /** Asks for a topic's metadata. */
    void want(String topic) {
        core.loop().execute(() -> core.metadata().want(topic));
    }

    boolean sees(String topic) {
        return core.metadata().view().topic(topic).isPresent();
    }

    long trips(Watchdog watchdog) {
        return core.trips().count(watchdog);
    }

    /** Asks a broker for metadata; the outcome is the failure, or null for a response. */
    CompletableFuture<CallFailure> ask(int broker, Duration timeout) {
        CompletableFuture<CallFailure> outcome = new CompletableFuture<>();
        Call.Handler<MetadataResponseData> handler = new Call.Handler<>() {
            @Override
            public void onResponse(MetadataResponseData response, short version) {
                outcome.complete(null);
            }

            @Override
            public void onFailure(CallFailure failure) {
                outcome.complete(failure);
            }
        };
        core.loop()
                .execute(() -> core.network()
                        .call(
                                PeerId.broker(broker),
                                Call.of(ApiKeys.METADATA, version -> new MetadataRequestData(), timeout, handler)));
        return outcome;
    }

    /** Looks at something of the loop's, on the loop. */
    <T> T onLoop(Supplier<T> look) {
        CompletableFuture<T> seen = new CompletableFuture<>();
        core.loop().execute(() -> seen.complete(look.get()));
        return seen.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    ClientCore core() {
        return core;
    }

    /** Why the loop was lost; completes when it is. */
    CompletableFuture<KafkaException> lost() {
        return lost;
    }

    @Override
    public void onLoopLost(KafkaException cause) {
        lost.complete(cause);
    }

    @Override
    public void onClose() {
        // Nothing is pending.
    }

    @Override
    public void close() {
        core.shutDown();
        try {
            assertThat(core.awaitEnd(PATIENCE)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
