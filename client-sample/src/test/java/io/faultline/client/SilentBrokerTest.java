package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.client.network.CallFailure;
import io.faultline.client.network.CallFailure.Reason;
import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Brokers that take connections, or not even those, and say nothing: each wait ends by its watchdog, with no traffic at all. And each of the watchdogs shows what it is for:
 * without it the wait goes on.
 */
@Timeout(120)
class SilentBrokerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration REQUEST = Duration.ofMillis(500);

    /** Three times what the watchdog would have taken. */
    private static final Duration GOES_ON = Duration.ofMillis(1_500);

    @Test
    void theNextBootstrapServerIsAskedWhenTheFirstSaysNothingAboutItsVersions() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(2).topic("t", 2)) {
            cluster.script()
                    .always(request -> request.node() == 1 && request.api() == ApiKeys.API_VERSIONS, Reply.SILENCE);
            try (RunningCore core = RunningCore.start(cluster.bootstrap(), Wiring.production(), Map.of())) {
                core.want("t");

                await().atMost(PATIENCE).until(() -> core.sees("t"));
                assertThat(core.trips(Watchdog.NEGOTIATE)).isPositive();
            }
        }
    }

    @Test
    void aConnectionOnWhichNoVersionsComeIsClosedWithinTheSetUpTimeout() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1)) {
            cluster.script().always(ApiKeys.API_VERSIONS, Reply.SILENCE);
            try (RunningCore core = RunningCore.start(cluster.bootstrap(), Wiring.production(), Map.of())) {
                core.want("t");
                int first = cluster.await(ApiKeys.API_VERSIONS, 1).connection();

                await().atMost(PATIENCE).until(() -> !cluster.isOpen(first));
                assertThat(core.trips(Watchdog.NEGOTIATE)).isPositive();
            }
        }
    }

    @Test
    void withoutItsWatchdogNegotiatingGoesOnForEver() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1)) {
            cluster.script().always(ApiKeys.API_VERSIONS, Reply.SILENCE);
            try (RunningCore core =
                    RunningCore.start(cluster.bootstrap(), Wiring.without(Watchdog.NEGOTIATE), Map.of())) {
                core.want("t");
                int first = cluster.await(ApiKeys.API_VERSIONS, 1).connection();

                await().atMost(PATIENCE).during(GOES_ON).until(() -> cluster.isOpen(first));
            }
        }
    }

    @Test
    void aRequestThatIsNotAnsweredFailsAtItsDeadlineThoughNothingHappensOnItsSocket() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                RunningCore core = RunningCore.start(cluster.bootstrap(), Wiring.production(), Map.of())) {
            seeAndFallSilent(core, cluster);

            CallFailure failure = core.ask(1, REQUEST).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            assertThat(failure.reason()).isEqualTo(Reason.TIMED_OUT);
            assertThat(core.trips(Watchdog.REQUEST)).isPositive();
        }
    }

    @Test
    void anExpiredRequestCondemnsItsConnectionAndAllThatIsInFlightThereIsSettled() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                RunningCore core = RunningCore.start(cluster.bootstrap(), Wiring.production(), Map.of())) {
            int before = seeAndFallSilent(core, cluster);
            CompletableFuture<CallFailure> expires = core.ask(1, REQUEST);
            CompletableFuture<CallFailure> patient = core.ask(1, Duration.ofHours(1));
            int connection = cluster.await(ApiKeys.METADATA, before + 2).connection();

            assertThat(expires.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).reason())
                    .isEqualTo(Reason.TIMED_OUT);
            assertThat(patient.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).reason())
                    .isEqualTo(Reason.DISCONNECTED);
            await().atMost(PATIENCE).until(() -> !cluster.isOpen(connection));
        }
    }

    @Test
    void withoutItsWatchdogARequestIsWaitedForForEver() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                RunningCore core = RunningCore.start(cluster.bootstrap(), Wiring.without(Watchdog.REQUEST), Map.of())) {
            seeAndFallSilent(core, cluster);

            CompletableFuture<CallFailure> outcome = core.ask(1, REQUEST);

            await().atMost(PATIENCE).during(GOES_ON).until(() -> !outcome.isDone());
        }
    }

    @Test
    void theNextBootstrapServerIsAskedWhenTheKernelOfTheFirstDoesNotAnswer() throws Exception {
        try (SilentPort port = SilentPort.thatAnswersNoSyn();
                StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                RunningCore core =
                        RunningCore.start(port.address() + "," + cluster.bootstrap(), Wiring.production(), Map.of())) {
            core.want("t");

            await().atMost(PATIENCE).until(() -> core.sees("t"));
        }
    }

    @Test
    void aConnectThatTheKernelDoesNotAnswerFailsWithinTheSetUpTimeout() throws Exception {
        try (SilentPort port = SilentPort.thatAnswersNoSyn();
                RunningCore core = RunningCore.start(port.address(), Wiring.production(), Map.of())) {
            core.want("t");

            await().atMost(PATIENCE).until(() -> failures(core) > 0);
            assertThat(core.trips(Watchdog.CONNECT)).isPositive();
        }
    }

    @Test
    void withoutItsWatchdogConnectingGoesOnForEver() throws Exception {
        try (SilentPort port = SilentPort.thatAnswersNoSyn();
                RunningCore core = RunningCore.start(port.address(), Wiring.without(Watchdog.CONNECT), Map.of())) {
            core.want("t");

            await().atMost(PATIENCE).during(GOES_ON).until(() -> failures(core) == 0);
        }
    }

    @Test
    void aPeerThatAcceptsButSpeaksNoTlsIsLeftWithinTheSetUpTimeout() throws Exception {
        try (SilentPort port = SilentPort.thatAccepts();
                RunningCore core =
                        RunningCore.start(port.address(), Wiring.production(), Map.of("security.protocol", "SSL"))) {
            core.want("t");

            await().atMost(PATIENCE).until(() -> port.accepted() > 0 && !port.isOpen(0));
            assertThat(core.trips(Watchdog.NEGOTIATE)).isPositive();
        }
    }

    @Test
    void withoutItsWatchdogTheHandshakeWithAPeerThatSpeaksNoTlsGoesOnForEver() throws Exception {
        try (SilentPort port = SilentPort.thatAccepts();
                RunningCore core = RunningCore.start(
                        port.address(), Wiring.without(Watchdog.NEGOTIATE), Map.of("security.protocol", "SSL"))) {
            core.want("t");
            await().atMost(PATIENCE).until(() -> port.accepted() > 0);

            await().atMost(PATIENCE).during(GOES_ON).until(() -> port.isOpen(0));
        }
    }

    /** Waits until the client knows its one broker, which says nothing from then on; returns how many metadata requests there were. */
    private static int seeAndFallSilent(RunningCore core, StubCluster cluster) throws Exception {
        core.want("t");
        await().atMost(PATIENCE).until(() -> core.sees("t"));
        assertThat(core.ask(1, PATIENCE).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isNull();
        cluster.script().always(ApiKeys.METADATA, Reply.SILENCE);
        return cluster.requests(ApiKeys.METADATA).size();
    }

    private static int failures(RunningCore core) {
        return core.onLoop(() -> core.core()
                .network()
                .failures(core.core().network().bootstrapPeers().get(0)));
    }
}
