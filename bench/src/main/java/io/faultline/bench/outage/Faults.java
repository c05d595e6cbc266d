package io.faultline.bench.outage;

import io.faultline.bench.broker.Brokers;
import io.faultline.bench.subject.SubjectProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The faults of the {@link Scenario}s. */
final class Faults {

    private static final String SEGMENT = "00000000000000000000.log";
    private static final int LEAST_BETWEEN_RESETS_MILLIS = 50;
    private static final int MOST_BETWEEN_RESETS_MILLIS = 300;
    private static final long BETWEEN_RESTARTS_MILLIS = 3_000;
    private static final int FIRST = 1;

    private Faults() {}

    /** All brokers are stopped in the middle of whatever they do. Their kernel still takes connections and bytes. */
    record Freeze(Cast cast) implements Fault {

        @Override
        public void begin() throws Exception {
            cast.eachBroker(cast.stage().brokers()::freeze);
        }

        @Override
        public void heal() throws Exception {
            cast.eachBroker(cast.stage().brokers()::thaw);
        }
    }

    /** All brokers are killed. */
    record Kill(Cast cast) implements Fault {

        @Override
        public void begin() throws Exception {
            cast.eachBroker(cast.stage().brokers()::kill);
        }

        @Override
        public void heal() throws Exception {
            cast.eachBroker(cast.stage().brokers()::start);
        }
    }

    /** Every packet between clients and brokers vanishes. */
    record BlackHole(Cast cast) implements Fault {

        @Override
        public void begin() throws Exception {
            cast.stage().namespace().blackHole();
        }

        @Override
        public void heal() throws Exception {
            cast.stage().namespace().heal();
        }
    }

    /** While packets vanish the brokers die and come back: only the clients' ends of the connections are left. */
    record HalfOpen(Cast cast) implements Fault {

        @Override
        public void begin() throws Exception {
            cast.stage().namespace().blackHole();
            cast.eachBroker(cast.stage().brokers()::kill);
        }

        @Override
        public void halfway() throws Exception {
            cast.eachBroker(cast.stage().brokers()::start);
        }

        @Override
        public void heal() throws Exception {
            cast.stage().namespace().heal();
        }
    }

    /** In the brokers' place something takes connections and says nothing. */
    static final class AcceptsAndSilent implements Fault {

        private final Cast cast;
        private final List<SilentListener> listeners = new ArrayList<>();

        AcceptsAndSilent(Cast cast) {
            this.cast = cast;
        }

        @Override
        public void begin() throws Exception {
            Brokers brokers = cast.stage().brokers();
            cast.eachBroker(brokers::kill);
            for (String address : brokers.bootstrap().split(",")) {
                int colon = address.lastIndexOf(':');
                listeners.add(new SilentListener(
                        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
            }
        }

        @Override
        public void heal() throws Exception {
            for (SilentListener listener : listeners) {
                listener.close();
            }
            cast.eachBroker(cast.stage().brokers()::start);
        }
    }

    /** One broker after the other is restarted in an orderly way, for as long as the outage lasts, but each at least once. */
    static final class RollingRestart implements Fault {

        private final Cast cast;
        private volatile boolean ending;
        private CompletableFuture<Void> rolling;

        RollingRestart(Cast cast) {
            this.cast = cast;
        }

        @Override
        public void begin() {
            rolling = CompletableFuture.runAsync(this::roll);
        }

        private void roll() {
            Brokers brokers = cast.stage().brokers();
            try {
                for (int restarts = 0; restarts < brokers.count() || !ending; restarts++) {
                    int id = restarts % brokers.count() + 1;
                    brokers.stop(id);
                    brokers.start(id);
                    brokers.awaitAll();
                    TimeUnit.MILLISECONDS.sleep(BETWEEN_RESTARTS_MILLIS);
                }
            } catch (IOException failed) {
                throw new IllegalStateException("a broker was not restarted", failed);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void heal() {
            ending = true;
            rolling.join();
        }
    }

    /** The broker that coordinates the group is killed; the others go on. */
    static final class CoordinatorDeath implements Fault {

        private final Cast cast;
        private int coordinator;

        CoordinatorDeath(Cast cast) {
            this.cast = cast;
        }

        @Override
        public void begin() throws Exception {
            coordinator = cast.observer().coordinator(cast.group());
            cast.stage().brokers().kill(coordinator);
        }

        @Override
        public void heal() throws Exception {
            cast.stage().brokers().start(coordinator);
            cast.stage().brokers().awaitAll();
        }
    }

    /** Every connection gets half of a response; halfway its end, and only then; it goes on taking what is sent. */
    record SlowClose(Cast cast) implements Fault {

        @Override
        public void begin() {
            cast.stage().proxies().forEach(proxy -> proxy.mode(FrameProxy.Mode.HALVE));
        }

        @Override
        public void halfway() {
            cast.stage().proxies().forEach(FrameProxy::finishAll);
        }

        @Override
        public void heal() {
            cast.stage().proxies().forEach(proxy -> {
                proxy.mode(FrameProxy.Mode.PASS);
                proxy.resetAll();
            });
        }
    }

    /** All connections are reset, several times a second. */
    static final class ResetStorm implements Fault {

        private final Cast cast;
        private volatile boolean ending;
        private CompletableFuture<Void> storm;

        ResetStorm(Cast cast) {
            this.cast = cast;
        }

        @Override
        public void begin() {
            storm = CompletableFuture.runAsync(() -> {
                while (!ending) {
                    cast.stage().proxies().forEach(FrameProxy::resetAll);
                    try {
                        TimeUnit.MILLISECONDS.sleep(LEAST_BETWEEN_RESETS_MILLIS
                                + cast.random().nextInt(MOST_BETWEEN_RESETS_MILLIS - LEAST_BETWEEN_RESETS_MILLIS));
                    } catch (InterruptedException interrupted) {
                        Thread.currentThread().interrupt();
                        return;
                    }
                }
            });
        }

        @Override
        public void heal() {
            ending = true;
            storm.join();
        }
    }

    /**
     * Brokers carry out what they are asked, but no producer hears of it; before its requests time out they are killed, and come back. Again and again: batches are in flight
     * then that are in the log, of which brokers that come back may know no more.
     */
    static final class EatenAcks implements Fault {

        private static final double LEAST_OF_REQUEST = 0.2;
        private static final double MOST_OF_REQUEST = 0.8;

        private final Cast cast;
        private volatile boolean ending;
        private CompletableFuture<Void> rounds;

        EatenAcks(Cast cast) {
            this.cast = cast;
        }

        @Override
        public void begin() {
            rounds = CompletableFuture.runAsync(() -> {
                try {
                    do {
                        eatAndKill();
                    } while (!ending);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                } catch (Exception failed) {
                    throw new IllegalStateException("a broker was not restarted", failed);
                }
            });
        }

        private void eatAndKill() throws Exception {
            Brokers brokers = cast.stage().brokers();
            double part = LEAST_OF_REQUEST + cast.random().nextDouble() * (MOST_OF_REQUEST - LEAST_OF_REQUEST);
            cast.stage().proxies().forEach(proxy -> proxy.mode(FrameProxy.Mode.EAT_ACKS));
            TimeUnit.MILLISECONDS.sleep((long) (cast.timeouts().request().toMillis() * part));
            cast.eachBroker(brokers::kill);
            cast.stage().proxies().forEach(proxy -> proxy.mode(FrameProxy.Mode.PASS));
            cast.eachBroker(brokers::start);
            brokers.awaitAll();
            TimeUnit.MILLISECONDS.sleep(BETWEEN_RESTARTS_MILLIS);
        }

        @Override
        public void heal() {
            ending = true;
            rounds.join();
        }
    }

    /** The client's process stands still, brokers go on. */
    record ClientFreeze(SubjectProcess client) implements Fault {

        @Override
        public void begin() throws Exception {
            client.freeze();
        }

        @Override
        public void heal() throws Exception {
            client.thaw();
        }
    }

    /** What the first broker has in one of its directories cannot be read any more, and a consumer begins again at the first record. The disk gets well and the broker is restarted. */
    record DiskFailure(Cast cast) implements Fault {

        @Override
        public void begin() throws Exception {
            int spoiled = 0;
            for (int number = 0; number < cast.partitions(); number++) {
                Path folder = cast.stage().brokers().folder(FIRST, cast.partition(number));
                if (folder.startsWith(cast.stage().disk().directory())
                        && cast.observer().leader(cast.partition(number)) == FIRST) {
                    Path segment = folder.resolve(SEGMENT);
                    // The end is left alone: it is being written.
                    cast.stage().disk().poison(segment, 0, Files.size(segment) / 2);
                    spoiled++;
                }
            }
            if (spoiled == 0) {
                throw new IllegalStateException("the first broker leads nothing on the disk that fails");
            }
            cast.client().tell("rewind");
        }

        @Override
        public void heal() throws Exception {
            cast.stage().disk().healAll();
            cast.stage().brokers().stop(FIRST);
            cast.stage().brokers().start(FIRST);
            cast.stage().brokers().awaitAll();
        }
    }
}
