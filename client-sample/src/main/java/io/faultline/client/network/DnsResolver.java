package io.faultline.client.network;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Resolves names on threads of their own, since the system's resolver may hang for minutes and cannot be told to stop. At most
 * so many lookups of one host hang at a time; further ones are not made until one comes back.
 */
final class DnsResolver implements Resolver {

    private static final int LOOKUPS_PER_HOST = 3;
    private static final long IDLE_SECONDS = 5;

    /** How names are looked up; a test has its own. */
    @FunctionalInterface
    interface Lookup {
        InetAddress[] addressesOf(String host) throws UnknownHostException;
    }

    private final Executor loop;
    private final Lookup lookup;
    private final ExecutorService threads;
    private final Map<String, Integer> running = new HashMap<>(); // of the loop

    DnsResolver(String threadName, Executor loop, Lookup lookup) {
        this.loop = loop;
        this.lookup = lookup;
        this.threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, threadName);
                    thread.setDaemon(true);
                    return thread;
                });
    }

    @Override
    public void resolve(String host, BiConsumer<List<InetAddress>, Exception> found) {
        if (running.getOrDefault(host, 0) >= LOOKUPS_PER_HOST) {
            return; // whoever waits has a deadline
        }
        running.merge(host, 1, Integer::sum);
        try {
            threads.execute(() -> lookUp(host, found));
        } catch (RejectedExecutionException closed) {
            running.merge(host, -1, Integer::sum);
        }
    }

    private void lookUp(String host, BiConsumer<List<InetAddress>, Exception> found) {
        try {
            List<InetAddress> addresses = List.of(lookup.addressesOf(host));
            answer(host, () -> found.accept(addresses, null));
        } catch (UnknownHostException | RuntimeException failure) {
            answer(host, () -> found.accept(List.of(), failure));
        }
    }

    private void answer(String host, Runnable answer) {
        loop.execute(() -> {
            running.computeIfPresent(host, (same, count) -> count == 1 ? null : count - 1);
            answer.run();
        });
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
