package io.faultline.broker.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The members of a group, in the order in which they came, and their leader. Guarded by its {@link Group}. */
final class Members {

    private final Map<String, Member> byId = new LinkedHashMap<>();
    private final Map<String, Member> byInstanceId = new HashMap<>();
    private String leaderId;

    void add(Member member) {
        byId.put(member.id(), member);
        if (member.instanceId() != null) {
            byInstanceId.put(member.instanceId(), member);
        }
        if (leaderId == null) {
            leaderId = member.id();
        }
    }

    void remove(Member member) {
        byId.remove(member.id());
        if (member.instanceId() != null) {
            byInstanceId.remove(member.instanceId(), member);
        }
        if (member.id().equals(leaderId)) {
            leaderId = byId.values().stream()
                    .filter(Member::isAwaitingJoin)
                    .findFirst()
                    .or(() -> byId.values().stream().findFirst())
                    .map(Member::id)
                    .orElse(null);
        }
    }

    /** Puts a static member's next process in its place, leadership included. */
    void replace(Member before, Member next) {
        boolean led = before.id().equals(leaderId);
        byId.remove(before.id());
        add(next);
        if (led) {
            leaderId = next.id();
        }
    }

    /** Makes sure that the leader is one who joined; false if nobody did. */
    boolean electLeader() {
        Member leader = byId.get(leaderId);
        if (leader == null || !leader.isAwaitingJoin()) {
            leader = byId.values().stream()
                    .filter(Member::isAwaitingJoin)
                    .findFirst()
                    .orElse(null);
        }
        if (leader == null) {
            return false;
        }
        leaderId = leader.id();
        return true;
    }

    boolean isLeader(Member member) {
        return member.id().equals(leaderId);
    }

    /** Null where there is no member. */
    String leaderId() {
        return leaderId;
    }

    /** Null where there is none. */
    Member byId(String id) {
        return byId.get(id);
    }

    /** Null where there is none. */
    Member byInstanceId(String instanceId) {
        return byInstanceId.get(instanceId);
    }

    Collection<Member> all() {
        return byId.values();
    }

    /** A copy, to remove members while going through it. */
    List<Member> matching(Predicate<Member> condition) {
        return new ArrayList<>(byId.values().stream().filter(condition).toList());
    }

    boolean isEmpty() {
        return byId.isEmpty();
    }

    int size() {
        return byId.size();
    }

    boolean haveAllJoined() {
        return byId.values().stream().allMatch(Member::isAwaitingJoin);
    }

    int longestRebalanceTimeoutMs() {
        return byId.values().stream().mapToInt(Member::rebalanceTimeoutMs).max().orElse(0);
    }

    /** The protocols that every member supports; empty without members. */
    Set<String> commonProtocols() {
        Set<String> common = null;
        for (Member member : byId.values()) {
            if (common == null) {
                common = new HashSet<>(member.protocolNames());
            } else {
                common.retainAll(member.protocolNames());
            }
        }
        return common == null ? Set.of() : common;
    }

    /** The protocol that most members prefer among those that all support. */
    String selectProtocol() {
        Set<String> candidates = commonProtocols();
        Map<String, Integer> votes = new LinkedHashMap<>();
        byId.values().forEach(member -> votes.merge(member.vote(candidates), 1, Integer::sum));
        return votes.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }
}
