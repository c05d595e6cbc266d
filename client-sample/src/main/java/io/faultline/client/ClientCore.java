package io.faultline.client;

import io.faultline.client.loop.CallbackThread;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.loop.LoopLiveness;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.network.Network;
import io.faultline.client.network.Sockets;
import io.faultline.client.network.TlsClient;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Trip;
import io.faultline.client.watchdog.TripCause;
import io.faultline.client.watchdog.Trips;
import io.faultline.client.watchdog.Watchdog;
import io.faultline.client.watchdog.Watchdogs;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every client is made of: its threads, its watchdogs, its network and its view of the cluster.
 *
 * <p>It ends in one of three ways, and always tells its {@link Owner}: it is closed; its loop dies of an error; or the loop is
 * stuck, which the liveness thread notices. In the last two the owner settles what is pending on the thread that noticed, without
 * the loop. The first reason to end is the one that counts.
 */
final class ClientCore {

    /** Who runs a client. */
    interface Owner {

        /**
         * The loop will make no turn any more, or none that matters: settle what is pending, without taking any lock that the
         * loop takes.
         *
         * @param cause why
         */
        void onLoopLost(KafkaException cause);

        /** On the loop, in a close: give up what is still there. */
        void onClose();
    }

    private static final Logger LOG = LoggerFactory.getLogger(ClientCore.class);

    private final String name;
    private final Trips trips;
    private final CallbackThread callbacks;
    private final Sockets sockets;
    private final Watchdogs watchdogs;
    private final EventLoop loop;
    private final LoopLiveness liveness;
    private final Network network;
    private final Metadata metadata;
    private final TlsClient tls;
    private final RandomGenerator random = new SplittableRandom();
    private final AtomicReference<KafkaException> lost = new AtomicReference<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Owner owner;

    /**
     * Puts a client together; nothing runs yet but its callback thread.
     *
     * @param config what it was told
     * @param wiring what it is put together with
     * @param files where regions of files are transferred to sockets, given the loop
     */
    ClientCore(ClientConfig config, Wiring wiring, Function<EventLoop, Executor> files) {
        name = "faultline-" + config.clientId();
        tls = config.protocol() == SecurityProtocol.SSL ? tls(config) : null;
        try {
            sockets = Sockets.open();
        } catch (IOException failure) {
            throw new KafkaException("no selector for " + name, failure);
        }
        callbacks = new CallbackThread(name + "-callbacks");
        trips = new Trips(name, callbacks);
        watchdogs = new Watchdogs(wiring.clock(), trips, wiring.disabled());
        loop = new EventLoop(name + "-loop", sockets.poller(), watchdogs);
        liveness = new LoopLiveness(
                name + "-liveness",
                loop,
                wiring.disabled().contains(Watchdog.LOOP)
                        ? Long.MAX_VALUE
                        : Deadline.saturatedNanos(config.loopTimeout()),
                this::loopStuck);
        network = new Network(
                loop,
                sockets.dialer(config.socket(), loop, files.apply(loop), tls),
                Sockets.resolver(name + "-resolver", loop),
                config.connect(),
                config.bootstrap(),
                random);
        metadata = new Metadata(loop, network, config.metadata(), random);
    }

    private static TlsClient tls(ClientConfig config) {
        Class<?> given = (Class<?>) config.ssl().get(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG);
        SslEngineFactory engines = given == null
                ? new DefaultSslEngineFactory()
                : Utils.newInstance(given.asSubclass(SslEngineFactory.class));
        engines.configure(config.ssl());
        String endpoint = (String) config.ssl().get(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);
        return new TlsClient(engines, endpoint, task -> {
            Thread thread = new Thread(task, "faultline-" + config.clientId() + "-tls");
            thread.setDaemon(true);
            thread.start();
        });
    }

    /**
     * Starts the threads.
     *
     * @param of who runs the client
     */
    void start(Owner of) {
        owner = of;
        loop.start(this::loopEnded);
        liveness.start();
    }

    /** On the loop's thread, as its last act. */
    private void loopEnded(Throwable cause) {
        liveness.end();
        if (cause != null && lost.get() == null) {
            LOG.error("{}: the loop died", name, cause);
            trips.report(new Trip(Watchdog.LOOP, TripCause.DIED, cause.toString(), watchdogs.now()));
            lose(new KafkaException("the client's network thread died", cause));
        }
        sockets.poller().close();
        if (tls != null) {
            tls.close();
        }
        callbacks.endWhenDone();
        ended.countDown();
    }

    /** On the liveness thread. The loop may hold any lock of its own for ever. */
    private void loopStuck(StackTraceElement[] stack) {
        KafkaException where = new KafkaException("the client's network thread is stuck");
        where.setStackTrace(stack);
        LOG.error("{}: the loop is stuck", name, where);
        trips.report(new Trip(
                Watchdog.LOOP, TripCause.STUCK, stack.length > 0 ? stack[0].toString() : name, watchdogs.now()));
        lose(where);
        loop.stop();
        // On yet another thread: closing a socket waits for a write that is stuck.
        Thread closer = new Thread(sockets.poller()::close, name + "-closer");
        closer.setDaemon(true);
        closer.start();
        callbacks.endWhenDone();
        ended.countDown();
    }

    private void lose(KafkaException cause) {
        if (lost.compareAndSet(null, cause)) {
            owner.onLoopLost(cause);
        }
    }

    /** Begins to close: gives up what is pending, and ends the threads. May be called from any thread, more than once. */
    void shutDown() {
        loop.execute(() -> {
            owner.onClose();
            metadata.close();
            network.close("the client is closed");
            watchdogs.disarmAll();
            loop.stop();
        });
    }

    /** Gives back what there is although {@link #start} was never called. */
    void neverStarted() {
        sockets.poller().close();
        if (tls != null) {
            tls.close();
        }
        callbacks.endWhenDone();
    }

    /**
     * Waits until the client has ended and has told everything that it had to tell.
     *
     * @param longest how long to wait
     * @return false if it has not until then
     */
    boolean awaitEnd(Duration longest) throws InterruptedException {
        Deadline deadline = Deadline.after(watchdogs.now(), longest);
        return ended.await(deadline.remaining(watchdogs.now()), TimeUnit.NANOSECONDS)
                && callbacks.awaitEnd(deadline.remaining(watchdogs.now()));
    }

    /** Why the loop was lost, null if it was not. */
    KafkaException lost() {
        return lost.get();
    }

    Trips trips() {
        return trips;
    }

    CallbackThread callbacks() {
        return callbacks;
    }

    EventLoop loop() {
        return loop;
    }

    Network network() {
        return network;
    }

    Metadata metadata() {
        return metadata;
    }

    RandomGenerator random() {
        return random;
    }
}
