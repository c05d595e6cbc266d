package io.faultline.agent.host;

import io.faultline.classifier.Classification;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The host's side of the classifier's API: a listener, and an owner of log directories. */
final class Verdicts {

    private final List<Classification> received = new CopyOnWriteArrayList<>();
    private final Set<String> offline = ConcurrentHashMap.newKeySet();

    String subscribe() {
        FailureFeed.ofThisJvm().observe("host", received::add);
        return "";
    }

    String subscribeThrowing() {
        FailureFeed.ofThisJvm().act("throwing", verdict -> {
            throw new AssertionError("a listener that fails");
        });
        return "";
    }

    /** Claims directories; one that is taken offline stays so. */
    String own(List<String> directories) {
        List<String> claimed = new ArrayList<>(directories);
        FailureFeed.ofThisJvm().register(new LogDirOwner() {
            @Override
            public String name() {
                return "host";
            }

            @Override
            public Collection<String> directories() {
                return claimed;
            }

            @Override
            public boolean isOffline(String directory) {
                return offline.contains(directory);
            }

            @Override
            public OwnerAction takeOffline(String directory, Classification why) {
                return offline.add(directory) ? OwnerAction.FED : OwnerAction.ALREADY;
            }
        });
        return "";
    }

    String offline() {
        return Host.listed(offline);
    }

    String count() {
        return Integer.toString(received.size());
    }

    String describe(int index, Transfers transfers) {
        List<String> pairs = new ArrayList<>();
        describe(received.get(index), transfers).forEach((key, value) -> pairs.add(key + "=" + value));
        return Host.listed(pairs);
    }

    private static Map<String, Object> describe(Classification verdict, Transfers transfers) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("verdict", verdict.verdict());
        facts.put("reason", verdict.reason());
        facts.put("hint", verdict.hint());
        facts.put("action", verdict.action());
        facts.put("directory", verdict.directory());
        facts.put("owner", verdict.owner());
        facts.put("file", verdict.file());
        facts.put("position", verdict.region().position());
        facts.put("count", verdict.region().count());
        facts.put("unreadable", verdict.unreadablePosition());
        facts.put("target", verdict.targetKind());
        facts.put("file-system", verdict.mount().fileSystemType());
        facts.put("failure", Host.failure(verdict.transferFailure()));
        facts.put("same-failure", verdict.transferFailure() == transfers.lastFailure());
        return facts;
    }
}
