package io.faultline.client.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DnsResolverTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final BlockingQueue<Runnable> loop = new LinkedBlockingQueue<>();
    private final CountDownLatch hang = new CountDownLatch(1);
    private final AtomicInteger lookups = new AtomicInteger();
    private final DnsResolver resolver = new DnsResolver("test-resolver", loop::add, this::lookUp);

    @AfterEach
    void letGo() {
        hang.countDown();
        resolver.close();
    }

    private InetAddress[] lookUp(String host) throws UnknownHostException {
        lookups.incrementAndGet();
        if (host.equals("hangs")) {
            try {
                hang.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (host.equals("nowhere")) {
            throw new UnknownHostException(host);
        }
        return new InetAddress[] {InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1})};
    }

    private void turn() throws InterruptedException {
        loop.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS).run();
    }

    @Test
    void theAnswerComesOnTheLoop() throws InterruptedException {
        AtomicReference<List<InetAddress>> found = new AtomicReference<>();
        resolver.resolve("somewhere", (addresses, failure) -> found.set(addresses));
        assertThat(found.get()).isNull();
        turn();
        assertThat(found.get()).hasSize(1);
    }

    @Test
    void aNameThatIsNotKnownIsAFailure() throws InterruptedException {
        AtomicReference<Exception> why = new AtomicReference<>();
        resolver.resolve("nowhere", (addresses, failure) -> why.set(failure));
        turn();
        assertThat(why.get()).isInstanceOf(UnknownHostException.class);
    }

    @Test
    void aHostWhoseLookupsHangHoldsUpNoOtherAndNoMoreThanThreeThreads() throws InterruptedException {
        for (int index = 0; index < 10; index++) {
            resolver.resolve("hangs", (addresses, failure) -> {});
        }
        AtomicReference<List<InetAddress>> found = new AtomicReference<>();
        resolver.resolve("somewhere", (addresses, failure) -> found.set(addresses));
        turn();
        assertThat(found.get()).hasSize(1);
        await().atMost(PATIENCE).until(() -> lookups.get() == 4);
    }
}
