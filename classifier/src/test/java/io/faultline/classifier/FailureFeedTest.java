package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeavesNoThread.class)
class FailureFeedTest {

    private static final int QUEUE = 1_024;

    private final FailureFeed feed = new FailureFeed();

    @Test
    void theOwnerIsToldFirstThenTheActorsInTurnThenTheObservers() {
        ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
        RecordingOwner owner = new RecordingOwner("/data/d1") {
            @Override
            public OwnerAction takeOffline(String directory, Classification why) {
                order.add("owner");
                return OwnerAction.FED;
            }
        };
        // Subscribed in another order than they are told.
        List<Subscription> subscriptions = List.of(
                feed.observe("observer", verdict -> order.add("observer")),
                feed.act("first", verdict -> order.add("first actor")),
                feed.act("second", verdict -> order.add("second actor")));
        OwnerCalls calls = new OwnerCalls(owner);
        for (int round = 0; round < 100; round++) {
            order.clear();
            OwnerAction action = calls.takeOffline("/data/d1", Samples.disk(), ActionPolicy.ACT, () -> false);
            feed.publish(Samples.disk().with(action));
            RunningClassifier.until("all told", () -> order.size() == 4);
            assertThat(order).containsExactly("owner", "first actor", "second actor", "observer");
        }
        calls.close();
        subscriptions.forEach(Subscription::close);
    }

    @Test
    void everyListenerGetsTheVerdictsInOrder() {
        List<Classification> acted = new CopyOnWriteArrayList<>();
        List<Classification> observed = new CopyOnWriteArrayList<>();
        List<Classification> published = new ArrayList<>();
        try (Subscription actor = feed.act("actor", acted::add);
                Subscription observer = feed.observe("observer", observed::add)) {
            for (int number = 0; number < 500; number++) {
                Classification verdict = Samples.disk();
                published.add(verdict);
                feed.publish(verdict);
            }
            assertThat(acted).containsExactlyElementsOf(published);
            RunningClassifier.until("all observed", () -> observed.size() == published.size());
            assertThat(observed).containsExactlyElementsOf(published);
            assertThat(actor.lost() + observer.lost()).isZero();
        }
    }

    @Test
    void whatAnObserversQueueCannotHoldIsCountedAsLost() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        List<Classification> observed = new CopyOnWriteArrayList<>();
        try (Subscription slow = feed.observe("slow", verdict -> {
            reached.countDown();
            try {
                release.await();
            } catch (InterruptedException stranger) {
                throw new AssertionError(stranger);
            }
            observed.add(verdict);
        })) {
            feed.publish(Samples.disk());
            reached.await();
            for (int number = 0; number < QUEUE + 10; number++) {
                feed.publish(Samples.disk());
            }
            assertThat(slow.lost()).isEqualTo(10);
            release.countDown();
            RunningClassifier.until("all that fitted", () -> observed.size() == QUEUE + 1);
        }
    }

    @Test
    void aClosedSubscriptionGetsNothingMore() {
        List<Classification> observed = new CopyOnWriteArrayList<>();
        List<Classification> acted = new CopyOnWriteArrayList<>();
        Subscription observer = feed.observe("observer", observed::add);
        Subscription actor = feed.act("actor", acted::add);
        observer.close();
        actor.close();
        actor.close();
        feed.publish(Samples.disk());
        assertThat(feed.hasListeners()).isFalse();
        assertThat(observed).isEmpty();
        assertThat(acted).isEmpty();
    }

    @Test
    void closingASubscriptionForgetsWhatWaitsForItAndKeepsNobodyWaiting() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        List<Classification> handled = new CopyOnWriteArrayList<>();
        Subscription blocking = feed.act("blocking", verdict -> {
            reached.countDown();
            try {
                release.await();
            } catch (InterruptedException stranger) {
                throw new AssertionError(stranger);
            }
            handled.add(verdict);
        });
        Thread publisher = new Thread(() -> feed.publish(Samples.disk()));
        publisher.start();
        reached.await();
        Thread waiting = new Thread(() -> feed.publish(Samples.disk()));
        waiting.start();
        RunningClassifier.until("queued", () -> waiting.getState() == Thread.State.TIMED_WAITING);
        blocking.close();
        waiting.join();
        release.countDown();
        publisher.join();
        assertThat(handled).hasSize(1);
    }

    @Test
    void anOwnerMayBeRegisteredTwice() {
        RecordingOwner owner = new RecordingOwner("/data/d1");
        Subscription first = feed.register(owner);
        Subscription second = feed.register(owner);
        first.close();
        first.close();
        assertThat(feed.owners()).containsExactly(owner);
        second.close();
        assertThat(feed.owners()).isEmpty();
    }

    @Test
    void anOwnerWithoutANameIsRefused() {
        RecordingOwner nameless = new RecordingOwner("/data/d1") {
            @Override
            public String name() {
                return null;
            }
        };
        assertThatThrownBy(() -> feed.register(nameless)).isInstanceOf(NullPointerException.class);
        assertThat(feed.owners()).isEmpty();
    }

    @Test
    void ownersOfElsewhereCountToo() {
        RecordingOwner here = new RecordingOwner("/data/d1");
        RecordingOwner elsewhere = new RecordingOwner("/data/d2");
        feed.register(here);
        feed.bridge(List.of(), List.of(MapForm.ofOwner(elsewhere), Map.of("name", "no owner")));
        assertThat(feed.owners())
                .hasSize(2)
                .contains(here)
                .anySatisfy(owner -> assertThat(owner.directories()).containsExactly("/data/d2"));
    }

    @Test
    void withoutListenersPublishingIsNothing() {
        assertThatCode(() -> feed.publish(Samples.disk())).doesNotThrowAnyException();
    }
}
