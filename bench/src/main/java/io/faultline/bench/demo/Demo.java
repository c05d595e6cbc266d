package io.faultline.bench.demo;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Consumed;
import io.faultline.bench.host.Trees;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The main job on the bundled broker, before one's eyes: a disk fails under a broker that serves two log directories, once with the agent and once without, over
 * plaintext and over TLS.
 */
public final class Demo {

    private final Layout layout;
    private final PrintStream out;
    private final boolean rehearsed;
    private final List<String> broken = new ArrayList<>();

    /**
     * Makes a demo.
     *
     * @param layout where the jars are
     * @param out where it prints
     * @param rehearsed whether to rehearse the failure even where a disk could really fail
     */
    public Demo(Layout layout, PrintStream out, boolean rehearsed) {
        this.layout = layout;
        this.out = out;
        this.rehearsed = rehearsed;
    }

    /**
     * Runs it, printing as it goes and a table at the end.
     *
     * @return true if everything that it claims held
     * @throws Exception if something that has nothing to do with the claims failed
     */
    public boolean run() throws Exception {
        long began = System.nanoTime();
        out.println("Faultline demo: a disk fails under a Kafka-protocol broker that sends files with sendfile.");
        List<Scene.Outcome> outcomes = new ArrayList<>();
        Path tls = Files.createTempDirectory("faultline-demo-tls");
        try {
            int scene = 1;
            for (String listener : List.of("PLAINTEXT", "SSL")) {
                for (boolean withAgent : List.of(true, false)) {
                    out.printf("%n[%d/4] %s, %s the agent%n", scene++, listener, withAgent ? "with" : "without");
                    outcomes.add(new Scene(layout, out, tls, listener, withAgent, rehearsed).play());
                }
            }
        } finally {
            Trees.delete(tls);
        }
        print(outcomes);
        outcomes.forEach(this::judge);
        if (outcomes.stream().anyMatch(outcome -> outcome.observed() && !outcome.withAgent())) {
            out.println();
            out.println(
                    "  The failure was rehearsed, which takes an agent: where nothing is to be acted upon it was there in mode observe.");
            out.println(
                    "  It holds stale TLS bytes back even so; what a broker without any agent sends is seen only on a disk that really fails.");
        }
        out.println();
        if (broken.isEmpty()) {
            out.printf("Everything above held. (%d s)%n", (System.nanoTime() - began) / 1_000_000_000L);
        } else {
            broken.forEach(claim -> out.println("DID NOT HOLD: " + claim));
        }
        return broken.isEmpty();
    }

    private void print(List<Scene.Outcome> outcomes) {
        List<String> heads = new ArrayList<>();
        heads.add("");
        outcomes.forEach(outcome -> heads.add((outcome.listener().equals("SSL") ? "TLS" : "PLAINTEXT")
                + (outcome.withAgent() ? ", agent" : outcome.observed() ? ", observing" : ", base")));
        List<List<String>> rows = new ArrayList<>();
        rows.add(heads);
        rows.add(row(
                "sends that failed",
                outcomes,
                outcome -> outcome.observed() ? "" + outcome.failedSends() : "not seen"));
        rows.add(row(
                "verdict: the client went",
                outcomes,
                outcome -> outcome.observed() ? "" + outcome.socketVerdicts() : "-"));
        rows.add(row(
                "verdict: the disk failed",
                outcomes,
                outcome -> outcome.observed() ? "" + outcome.diskVerdicts() : "-"));
        rows.add(row(
                "stale TLS bytes held back",
                outcomes,
                outcome -> outcome.observed() ? outcome.staleHeldBack() + " x" : "-"));
        rows.add(row("failing directory", outcomes, outcome -> outcome.failingOffline() ? "offline" : "online"));
        rows.add(row(
                "first failed read to offline",
                outcomes,
                outcome -> outcome.millisToOffline() < 0 ? "never" : outcome.millisToOffline() + " ms"));
        rows.add(row("consumer, failing directory", outcomes, outcome -> describe(outcome.ofFailing(), outcome)));
        rows.add(row("consumer, healthy directory", outcomes, outcome -> describe(outcome.ofHealthy(), outcome)));
        int[] widths = new int[heads.size()];
        rows.forEach(row -> {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        });
        out.println();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                line.append(row.get(column))
                        .append(" ".repeat(widths[column] - row.get(column).length() + 2));
            }
            out.println("  " + line.toString().stripTrailing());
        }
    }

    private static List<String> row(String head, List<Scene.Outcome> outcomes, Function<Scene.Outcome, String> cell) {
        List<String> row = new ArrayList<>();
        row.add(head);
        outcomes.forEach(outcome -> row.add(cell.apply(outcome)));
        return row;
    }

    private static String describe(Consumed consumed, Scene.Outcome outcome) {
        String how = switch (consumed.end()) {
            case COMPLETE -> "all " + consumed.records();
            case CORRUPT -> consumed.records() + ", then CORRUPT";
            case STALLED -> consumed.records() + (outcome.failingOffline() ? ", then told" : ", then STALLS");
        };
        return consumed.wrong() == 0 ? how : how + ", " + consumed.wrong() + " WRONG";
    }

    private void judge(Scene.Outcome outcome) {
        String scene = outcome.listener() + (outcome.withAgent() ? " with the agent: " : " without the agent: ");
        claim(
                outcome.ofHealthy().end() == Consumed.End.COMPLETE,
                scene + "all records of the healthy directory are consumed");
        claim(
                outcome.ofHealthy().wrong() == 0 && outcome.ofFailing().wrong() == 0,
                scene + "no wrong record is delivered");
        claim(!outcome.healthyOffline(), scene + "the healthy directory stays online");
        claim(outcome.ofFailing().end() != Consumed.End.COMPLETE, scene + "the failing disk does hold records back");
        if (outcome.withAgent()) {
            claim(outcome.failingOffline(), scene + "the failing directory goes offline");
            claim(outcome.millisToOffline() >= 0, scene + "the time to offline is known");
            claim(outcome.ofFailing().end() == Consumed.End.STALLED, scene + "no corrupt batch is delivered");
            claim(outcome.offlineBeforeTheDiskFailed() == 0, scene + "vanished clients take nothing offline");
            claim(outcome.diskVerdicts() > 0, scene + "the disk is judged to have failed");
            claim(outcome.accountsBalance(), scene + "every failed send is accounted for");
            claim(
                    !outcome.listener().equals("PLAINTEXT") || outcome.failedSends() >= Scene.ENOUGH_FAILED_SENDS,
                    scene + "at least " + Scene.ENOUGH_FAILED_SENDS + " sends failed while clients vanished");
        } else {
            claim(!outcome.failingOffline(), scene + "the failing directory stays online");
        }
    }

    private void claim(boolean held, String claim) {
        if (!held) {
            broken.add(claim);
        }
    }
}
