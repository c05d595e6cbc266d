package io.faultline.client.stub;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.common.protocol.ApiKeys;

/** What a test wants otherwise than usual. The newest rule that takes a request decides; may be changed while clients are connected. */
public final class Script {

    private interface Rule {
        /** The reply, or null if this is none of its requests. */
        Reply to(StubRequest request);
    }

    private final List<Rule> rules = new CopyOnWriteArrayList<>();

    Script() {}

    /**
     * From now on every request of an API is replied to so.
     *
     * @param api which requests
     * @param reply what to do
     * @return this
     */
    public Script always(ApiKeys api, Reply reply) {
        return always(request -> request.api() == api, reply);
    }

    /**
     * From now on every request of some kind is replied to so.
     *
     * @param which the requests
     * @param reply what to do
     * @return this
     */
    public Script always(Predicate<StubRequest> which, Reply reply) {
        return when(which, request -> reply);
    }

    /**
     * The next requests of an API are replied to so, those after them as before.
     *
     * @param api which requests
     * @param times how many of them
     * @param reply what to do
     * @return this
     */
    public Script next(ApiKeys api, int times, Reply reply) {
        AtomicInteger left = new AtomicInteger(times);
        rules.add(0, request -> request.api() == api && left.getAndDecrement() > 0 ? reply : null);
        return this;
    }

    /**
     * From now on a function decides about every request of some kind.
     *
     * @param which the requests
     * @param decision gives the reply
     * @return this
     */
    public Script when(Predicate<StubRequest> which, Function<StubRequest, Reply> decision) {
        rules.add(0, request -> which.test(request) ? decision.apply(request) : null);
        return this;
    }

    /** Forgets everything: all is as usual. */
    public void clear() {
        rules.clear();
    }

    Reply to(StubRequest request) {
        for (Rule rule : rules) {
            Reply reply = rule.to(request);
            if (reply != null) {
                return reply;
            }
        }
        return Reply.USUAL;
    }
}
