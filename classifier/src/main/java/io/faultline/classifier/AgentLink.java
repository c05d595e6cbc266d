package io.faultline.classifier;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How an agent and this copy of the library find each other. Applications use {@link FailureFeed}, not this class.
 *
 * <p>Agent and application share JDK types only: a collection of consumers that take each verdict as a map, and a collection
 * of owners, each a map of functions. Both live in {@code java.nio.channels.FaultlineHook}, which an agent defines in java.base.
 * A copy of the library that is loaded after the agent looks that class up; one that was loaded before is found by the
 * agent, which calls {@link #join}. So copies in any loader or module, older or newer than the agent, meet it.
 *
 * <p>The names in this class, {@link #join} and {@link MapForm} are a contract between versions: they may grow, never change.
 */
public final class AgentLink {

    private static final FailureFeed FEED = new FailureFeed();

    /** Guards what was put where. */
    private static final Object LOCK = new Object();

    private static final Consumer<Map<String, Object>> CONSUMER = AgentLink::receive;

    private static Collection<Consumer<Map<String, Object>>> consumers;
    private static Collection<Map<String, Object>> owners;

    /** The maps that stand for our owners in {@link #owners}. */
    private static final Map<LogDirOwner, Map<String, Object>> REGISTERED = new IdentityHashMap<>();

    static {
        FEED.onChange(AgentLink::synchronise);
        findHook();
    }

    private AgentLink() {}

    /**
     * Connects this copy of the library with an agent's meeting point. Called by the agent, by reflection.
     *
     * @param consumers where to put one consumer of verdicts, in the form of {@link MapForm}
     * @param owners where to put the owners of log directories, in the form of {@link MapForm}
     */
    public static void join(
            Collection<Consumer<Map<String, Object>>> consumers, Collection<Map<String, Object>> owners) {
        // Loads what a verdict is made of, so that the first one is not late by it.
        MapForm.toClassification(Map.of()).asException();
        synchronized (LOCK) {
            if (AgentLink.consumers != null && AgentLink.consumers != consumers) {
                AgentLink.consumers.remove(CONSUMER); // or each verdict would come twice
                AgentLink.owners.removeAll(REGISTERED.values());
            }
            AgentLink.consumers = consumers;
            AgentLink.owners = owners;
            synchronise();
        }
    }

    static FailureFeed feed() {
        return FEED;
    }

    /** Puts into the meeting point what is subscribed and registered here, and takes out what is no longer. */
    private static void synchronise() {
        synchronized (LOCK) {
            if (consumers == null) {
                return;
            }
            if (!FEED.hasListeners()) {
                consumers.remove(CONSUMER);
            } else if (!consumers.contains(CONSUMER)) {
                consumers.add(CONSUMER);
            }
            Set<LogDirOwner> now = Collections.newSetFromMap(new IdentityHashMap<>());
            now.addAll(FEED.ownersRegisteredHere());
            REGISTERED.entrySet().removeIf(entry -> {
                boolean gone = !now.contains(entry.getKey());
                if (gone) {
                    owners.remove(entry.getValue());
                }
                return gone;
            });
            for (LogDirOwner owner : now) {
                Map<String, Object> form = REGISTERED.computeIfAbsent(owner, MapForm::ofOwner);
                if (!owners.contains(form)) {
                    owners.add(form);
                }
            }
        }
    }

    private static void receive(Map<String, Object> form) {
        FEED.publish(MapForm.toClassification(form));
    }

    @SuppressWarnings("unchecked") // the fields of a class that only our agent defines
    private static void findHook() {
        try {
            Class<?> hook = Class.forName("java.nio.channels.FaultlineHook", true, null);
            join(
                    (Collection<Consumer<Map<String, Object>>>)
                            hook.getField("CONSUMERS").get(null),
                    (Collection<Map<String, Object>>) hook.getField("OWNERS").get(null));
        } catch (ClassNotFoundException noAgent) {
            // The usual case. An agent that comes later calls join.
        } catch (ReflectiveOperationException | LinkageError | RuntimeException foreign) {
            // A class of that name that is not ours. There is nobody to meet.
        }
    }
}
