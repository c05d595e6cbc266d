package io.faultline.broker.group;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;

/** A member of a group. Guarded by its {@link Group}. */
final class Member {

    static final byte[] NOTHING = {};

    private final String id;
    private final String instanceId;
    private final GroupClient client;
    private List<JoinGroupRequestProtocol> protocols;
    private int sessionTimeoutMs;
    private int rebalanceTimeoutMs;
    private byte[] assignment = NOTHING;
    private boolean synced;
    private boolean joinedBefore;
    private long lastSeenNanos = System.nanoTime();
    private Consumer<JoinGroupResponseData> join;
    private Consumer<SyncGroupResponseData> sync;

    Member(String id, GroupClient client, JoinGroupRequestData request) {
        this.id = id;
        this.instanceId = request.groupInstanceId();
        this.client = client;
        update(request);
    }

    /** Takes over from an earlier process with the same instance id. */
    Member(String id, GroupClient client, JoinGroupRequestData request, Member before) {
        this(id, client, request);
        assignment = before.assignment;
        joinedBefore = before.joinedBefore;
    }

    /** Takes what a member says when it joins again. */
    void update(JoinGroupRequestData request) {
        protocols = List.copyOf(request.protocols().valuesList());
        sessionTimeoutMs = request.sessionTimeoutMs();
        rebalanceTimeoutMs = rebalanceTimeoutMs(request);
    }

    /** The first version knows one time-out for both. */
    private static int rebalanceTimeoutMs(JoinGroupRequestData request) {
        return request.rebalanceTimeoutMs() < 0 ? request.sessionTimeoutMs() : request.rebalanceTimeoutMs();
    }

    /** Says whether a request tells nothing new. */
    boolean matches(JoinGroupRequestData request) {
        List<JoinGroupRequestProtocol> asked = request.protocols().valuesList();
        boolean same = asked.size() == protocols.size();
        for (int index = 0; same && index < asked.size(); index++) {
            same = asked.get(index).name().equals(protocols.get(index).name())
                    && Arrays.equals(
                            asked.get(index).metadata(), protocols.get(index).metadata());
        }
        return same;
    }

    Set<String> protocolNames() {
        return protocols.stream().map(JoinGroupRequestProtocol::name).collect(Collectors.toSet());
    }

    /** The one that the member prefers among some, of which it supports at least one. */
    String vote(Set<String> candidates) {
        return protocols.stream()
                .map(JoinGroupRequestProtocol::name)
                .filter(candidates::contains)
                .findFirst()
                .orElseThrow();
    }

    byte[] metadata(String protocol) {
        return protocols.stream()
                .filter(candidate -> candidate.name().equals(protocol))
                .findFirst()
                .map(JoinGroupRequestProtocol::metadata)
                .orElse(NOTHING);
    }

    void awaitJoin(Consumer<JoinGroupResponseData> answer) {
        // The client asks again on another connection: nobody waits for the first answer any more.
        answerJoin(Refusals.join(id, Errors.REBALANCE_IN_PROGRESS));
        join = answer;
    }

    boolean isAwaitingJoin() {
        return join != null;
    }

    void answerJoin(JoinGroupResponseData response) {
        if (join != null) {
            Consumer<JoinGroupResponseData> answer = join;
            join = null;
            joinedBefore |= response.errorCode() == Errors.NONE.code();
            seen();
            answer.accept(response);
        }
    }

    void awaitSync(Consumer<SyncGroupResponseData> answer) {
        answerSync(new SyncGroupResponseData().setErrorCode(Errors.REBALANCE_IN_PROGRESS.code()));
        sync = answer;
    }

    boolean isAwaitingSync() {
        return sync != null;
    }

    void answerSync(SyncGroupResponseData response) {
        if (sync != null) {
            Consumer<SyncGroupResponseData> answer = sync;
            sync = null;
            seen();
            answer.accept(response);
        }
    }

    /** Says that the member is alive. */
    void seen() {
        lastSeenNanos = System.nanoTime();
    }

    long millisSinceSeen() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastSeenNanos);
    }

    String id() {
        return id;
    }

    /** Null where the member is a dynamic one. */
    String instanceId() {
        return instanceId;
    }

    GroupClient client() {
        return client;
    }

    int sessionTimeoutMs() {
        return sessionTimeoutMs;
    }

    int rebalanceTimeoutMs() {
        return rebalanceTimeoutMs;
    }

    /** Says whether a generation with this member has begun. */
    boolean hasJoinedBefore() {
        return joinedBefore;
    }

    byte[] assignment() {
        return assignment;
    }

    void assign(byte[] assigned) {
        assignment = assigned;
    }

    boolean isSynced() {
        return synced;
    }

    void setSynced(boolean synced) {
        this.synced = synced;
    }
}
