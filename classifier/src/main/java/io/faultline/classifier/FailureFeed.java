package io.faultline.classifier;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Where verdicts come out, and where the owners of log directories make themselves known.
 *
 * <p>{@link #ofThisJvm()} is the feed that an attached agent publishes to. Without an agent nothing is ever published there
 * and subscribing costs nothing; an agent that is attached later finds the subscriptions. A server that uses the
 * {@link FailureClassifier} as a plain library makes a feed of its own with {@link #FailureFeed()}.
 *
 * <p>For each verdict the owner of the directory is told first, then the actors in the order in which they subscribed, each
 * call awaited for at most {@link #PATIENCE}, and no longer while an earlier one blocks; then the observers, each behind a queue of
 * its own, and nobody waits for those. A listener that throws or blocks harms neither the check nor the others. All methods may be called from any
 * thread.
 *
 * <p>Example:
 *
 * <pre>{@code
 * try (Subscription ended = FailureFeed.ofThisJvm().observe("pager", classification -> {
 *     if (classification.verdict() == Verdict.DISK) {
 *         page(classification.toString());
 *     }
 * })) {
 *     serve();
 * }
 * }</pre>
 */
public final class FailureFeed {

    /** How long an owner or an actor is waited for. */
    public static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final int QUEUE = 1_024;

    private final List<Listener> actors = new CopyOnWriteArrayList<>();
    private final List<Listener> observers = new CopyOnWriteArrayList<>();
    private final List<Owned> owners = new CopyOnWriteArrayList<>();
    private final Map<Consumer<Map<String, Object>>, Lane> foreignLanes = new ConcurrentHashMap<>();
    private volatile Collection<Consumer<Map<String, Object>>> foreignConsumers = List.of();
    private volatile Collection<Map<String, Object>> foreignOwners = List.of();
    private volatile Runnable onChange = () -> {};

    /** Makes a feed of its own, for a server that uses the classifier as a library. */
    public FailureFeed() {}

    /**
     * The feed that an agent in this JVM publishes to.
     *
     * @return the one feed of this copy of the library, never null
     */
    public static FailureFeed ofThisJvm() {
        return AgentLink.feed();
    }

    /**
     * Subscribes a listener that acts on verdicts: it is called before any observer, and the check of that directory goes
     * on when it has returned, or after {@link #PATIENCE}.
     *
     * @param name for threads and logs
     * @param listener the listener
     * @return ends the subscription when closed
     */
    public Subscription act(String name, FailureListener listener) {
        return add(actors, new Listener(name, listener));
    }

    /**
     * Subscribes a listener that watches. It has a queue of 1,024 verdicts; what does not fit is counted in
     * {@link Subscription#lost()}.
     *
     * @param name for threads and logs
     * @param listener the listener
     * @return ends the subscription when closed
     */
    public Subscription observe(String name, FailureListener listener) {
        return add(observers, new Listener(name, listener));
    }

    /**
     * Makes the owner of log directories known.
     *
     * @param owner the owner
     * @return ends the registration when closed
     * @throws NullPointerException if the owner or its name is null
     */
    public Subscription register(LogDirOwner owner) {
        Objects.requireNonNull(owner.name(), "owner's name");
        Owned owned = new Owned(owner);
        owners.add(owned);
        onChange.run();
        return () -> {
            if (owners.remove(owned)) {
                onChange.run();
            }
        };
    }

    /**
     * The owners that are registered now.
     *
     * @return a copy, in the order of registration
     */
    public List<LogDirOwner> owners() {
        List<LogDirOwner> all = new ArrayList<>();
        all.addAll(ownersRegisteredHere());
        for (Map<String, Object> form : foreignOwners) {
            try {
                all.add(MapForm.toOwner(form));
            } catch (RuntimeException malformed) { // somebody else's map
            }
        }
        return all;
    }

    List<LogDirOwner> ownersRegisteredHere() {
        return owners.stream().map(owned -> owned.owner).toList();
    }

    /**
     * Adds listeners and owners that other copies of this library left at a meeting point, in the form of {@link MapForm}: what an agent does in
     * its own feed. Listeners there are called as actors are. Both collections are read anew each time.
     *
     * @param consumers where consumers come and go
     * @param owners where owners come and go; one that is not in the form is passed over
     */
    public void bridge(Collection<Consumer<Map<String, Object>>> consumers, Collection<Map<String, Object>> owners) {
        foreignConsumers = Objects.requireNonNull(consumers, "consumers");
        foreignOwners = Objects.requireNonNull(owners, "owners");
    }

    /**
     * Hands a verdict to the actors and then to the observers. Never throws; returns when every actor has returned or had
     * its time.
     *
     * @param classification the verdict
     */
    public void publish(Classification classification) {
        for (Listener actor : actors) {
            actor.lane.callAndWait(() -> actor.listener.onClassification(classification), PATIENCE);
        }
        Map<String, Object> form = foreignConsumers.isEmpty() ? null : MapForm.of(classification);
        for (Consumer<Map<String, Object>> consumer : foreignConsumers) {
            Lane lane = foreignLanes.computeIfAbsent(consumer, key -> new Lane("application", QUEUE));
            lane.callAndWait(() -> consumer.accept(form), PATIENCE);
        }
        foreignLanes.keySet().retainAll(foreignConsumers);
        for (Listener observer : observers) {
            observer.lane.offer(() -> observer.listener.onClassification(classification));
        }
    }

    /**
     * Says whether anybody would receive a verdict.
     *
     * @return true if there is an actor or an observer
     */
    boolean hasListeners() {
        return !actors.isEmpty() || !observers.isEmpty();
    }

    /** Calls back whenever a listener or an owner came or went. */
    void onChange(Runnable callback) {
        onChange = callback;
    }

    private Subscription add(List<Listener> listeners, Listener listener) {
        listeners.add(listener);
        onChange.run();
        return new Subscription() {
            @Override
            public void close() {
                if (listeners.remove(listener)) {
                    listener.lane.close();
                    onChange.run();
                }
            }

            @Override
            public long lost() {
                return listener.lane.lost();
            }
        };
    }

    private static final class Listener {
        private final FailureListener listener;
        private final Lane lane;

        private Listener(String name, FailureListener listener) {
            this.listener = Objects.requireNonNull(listener, "listener");
            this.lane = new Lane("listener-" + Objects.requireNonNull(name, "name"), QUEUE);
        }
    }

    /** Gives each registration an identity of its own, so that an owner may be registered twice. */
    private static final class Owned {
        private final LogDirOwner owner;

        private Owned(LogDirOwner owner) {
            this.owner = owner;
        }
    }
}
