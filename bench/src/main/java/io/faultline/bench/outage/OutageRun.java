package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.bench.subject.ClientKind;
import io.faultline.bench.subject.Ledger;
import io.faultline.bench.subject.SubjectMain;
import io.faultline.bench.subject.SubjectProcess;
import io.faultline.bench.subject.SubjectProcess.Task;
import io.faultline.bench.subject.Timeouts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * One outage under one client.
 *
 * <p>The client under test produces all the time. Once in the outage, where that is long enough, it is silent for longer than its delivery time-out. It stops just before the
 * heal, so that what is seen after it is no work of new traffic: it has something pending then, and the probe's records are what its consumers get. Later it sends one record
 * to each partition, then goes on for a while. A second client, the victim, is flushed and closed in the middle of the outage.
 */
final class OutageRun {

    private static final int PARTITIONS = 6;
    private static final int MEMBERS = 2;
    private static final double VICTIMS_RATE = 20;
    private static final Duration HUSH = Duration.ofMillis(300);
    private static final Duration WARM = Duration.ofSeconds(3);
    private static final Duration PATIENCE_AT_START = Duration.ofSeconds(60);
    private static final Duration PATIENCE_WITH_HEAL = Duration.ofSeconds(120);
    private static final Duration PATIENCE_WITH_RECOVERY = Duration.ofSeconds(60);
    private static final Duration AGAIN = Duration.ofSeconds(2);
    private static final String TOPIC = "outage";
    private static final String GROUP = "outage-group";

    private final Layout layout;
    private final Report report;
    private final Plan plan;

    /**
     * What is to be done.
     *
     * @param scenario the outage
     * @param deployment the brokers
     * @param client the client under test
     * @param length how long the outage lasts
     * @param rate records per second
     * @param spooled whether its producer has a spool
     * @param timeouts of the client
     * @param tolerance how late things may be
     * @param seed for what is left to chance
     */
    record Plan(
            Scenario scenario,
            Deployment deployment,
            ClientKind client,
            Duration length,
            double rate,
            boolean spooled,
            Timeouts timeouts,
            Tolerance tolerance,
            long seed) {

        /** When, in the outage, the client stops sending for so long that nothing may be pending any more. */
        Duration untilSilence() {
            return length.dividedBy(4);
        }

        /** When that is over. */
        Duration untilSpeech() {
            return untilSilence().plus(timeouts.delivery()).plus(tolerance.tick());
        }

        /** Whether the outage is long enough for that. */
        boolean hasSilence() {
            return untilSpeech().plus(tolerance.tick()).compareTo(length) <= 0;
        }

        @Override
        public String toString() {
            return String.format(
                    "%s, %s%s, %s",
                    scenario.option(), client.title(), spooled ? " with a spool" : "", deployment.title());
        }
    }

    OutageRun(Layout layout, Report report, Plan plan) {
        this.layout = layout;
        this.report = report;
        this.plan = plan;
    }

    Evidence run() throws Exception {
        try (Stage stage = Stage.set(plan.deployment(), plan.scenario().access(), plan.scenario() == Scenario.DISK);
                Observer observer = new Observer(stage.brokers().directBootstrap())) {
            report.say("%s: %s", plan, stage.brokers().description());
            observer.create(
                    TOPIC,
                    PARTITIONS,
                    plan.deployment().brokers(),
                    plan.deployment().topicConfiguration());
            try (Probe probe = Probe.start(layout, stage.brokers().bootstrap(), TOPIC, PARTITIONS);
                    SubjectProcess main = SubjectProcess.start(layout, task(stage, Judge.MAIN, MEMBERS, plan.rate()));
                    SubjectProcess victim = SubjectProcess.start(layout, task(stage, Judge.VICTIM, 1, VICTIMS_RATE));
                    Companions companions = new Companions(layout, task(stage, Judge.MAIN, MEMBERS, plan.rate()))) {
                Cast cast = new Cast(
                        stage,
                        observer,
                        main,
                        companions,
                        TOPIC,
                        PARTITIONS,
                        GROUP,
                        plan.timeouts(),
                        new Random(plan.seed()));
                return play(cast, victim, probe);
            }
        }
    }

    private Task task(Stage stage, int sender, int members, double rate) {
        return new Task(
                plan.client(),
                stage.brokers().bootstrap(),
                TOPIC,
                PARTITIONS,
                sender == Judge.MAIN ? GROUP : GROUP + "-" + sender,
                members,
                sender,
                rate,
                plan.timeouts(),
                plan.spooled() ? stage.folder().resolve("spool-" + sender) : null);
    }

    private Evidence play(Cast cast, SubjectProcess victim, Probe probe) throws Exception {
        SubjectProcess main = cast.client();
        await(main, "the client under test is at work", ledger -> isAtWork(ledger, MEMBERS));
        await(victim, "the client that is to be closed is at work", ledger -> isAtWork(ledger, 1));
        cast.observer().sample(GROUP);
        sleep(WARM);

        Fault fault = plan.scenario().fault(cast);
        long began = now();
        fault.begin();
        report.say("%s: the outage begins", plan);
        sitOut(fault, began, main, victim);
        probe.go();
        long healing = now();
        fault.heal();
        long healed = Math.max(healing, probe.awaitHeal(PATIENCE_WITH_HEAL));
        report.say("%s: healed, %,d ms after its cause was taken away%s", plan, healed - healing, fault.summary());

        boolean ghosts = cast.observer().hasGhosts(GROUP, id -> isOfLiving(cast, id));
        awaitRecovery(cast, healing);
        if (plan.spooled()) { // a fresh record queues behind what is in the spool
            main.await(PATIENCE_WITH_RECOVERY, ledger -> ledger.latest().pending() == 0);
            report.say("%s: its spool is empty", plan);
        }
        long fresh = now();
        main.tell("fresh");
        main.await(plan.tolerance().recovery(), ledger -> ledger.settledOfThoseSince(fresh) >= PARTITIONS);
        main.await(plan.timeouts().delivery(), ledger -> ledger.latest().pending() == 0);
        main.tell("resume");
        sleep(AGAIN);
        main.tell("pause");
        main.tell("flush " + plan.timeouts().close().toMillis());
        main.await(plan.timeouts().close().plus(plan.tolerance().tick()), ledger -> isQuiet(ledger, healed));
        // The probe's last records may still be on their way: read once nothing comes any more.
        probe.close();
        LogContents log = LogContents.read(cast.stage().brokers().directBootstrap(), TOPIC, PARTITIONS);
        main.await(PATIENCE_WITH_RECOVERY, ledger -> log.missedBy(group(cast)) == 0);
        sleep(AGAIN);
        long ended = now();
        main.finish(plan.timeouts().close(), plan.timeouts().close().plus(PATIENCE_WITH_RECOVERY));
        return new Evidence(
                main.ledger(),
                List.of(victim.ledger()),
                group(cast),
                plan.scenario() == Scenario.CLIENT_FREEZE,
                plan.spooled(),
                new Course(
                        began,
                        plan.hasSilence() ? began + plan.untilSpeech().toMillis() : -1,
                        healing,
                        healed,
                        fresh,
                        ended),
                plan.timeouts(),
                plan.tolerance(),
                cast.stage().brokers().count(),
                MEMBERS,
                log,
                cast.stage().brokers().forgotGroupsAt(),
                cast.observer().samples(),
                commits(cast),
                ghosts);
    }

    private List<CommitLog.Commit> commits(Cast cast) throws Exception {
        if (plan.deployment().kafka() == null) {
            return cast.observer().samples().stream()
                    .map(sample -> new CommitLog.Commit(sample.partition(), sample.offset()))
                    .toList();
        }
        return CommitLog.read(
                cast.stage().brokers().directBootstrap(), cast.observer().partitions(CommitLog.TOPIC), GROUP, TOPIC);
    }

    private static boolean isOfLiving(Cast cast, String clientId) {
        return SubjectMain.isMemberOf(Judge.MAIN, clientId)
                || cast.companions().senders().stream().anyMatch(sender -> SubjectMain.isMemberOf(sender, clientId));
    }

    /** Lets the outage last, and does on the way what is to be done in it. */
    private void sitOut(Fault fault, long began, SubjectProcess main, SubjectProcess victim) throws Exception {
        List<Step> steps = new ArrayList<>();
        steps.add(new Step(plan.length().dividedBy(3), () -> {
            victim.tell("flush " + plan.timeouts().close().toMillis());
            victim.tell("close " + plan.timeouts().close().toMillis());
        }));
        steps.add(new Step(plan.length().dividedBy(2), fault::halfway));
        if (plan.hasSilence()) {
            steps.add(new Step(plan.untilSilence(), () -> main.tell("pause")));
            steps.add(new Step(plan.untilSpeech(), () -> main.tell("resume")));
        }
        // A process that stands still reads the line when it goes on.
        steps.add(new Step(plan.length().minus(HUSH), () -> main.tell("pause")));
        steps.sort(Comparator.comparing(Step::after));
        for (Step step : steps) {
            sleepUntil(began, step.after());
            step.action().run();
        }
        sleepUntil(began, plan.length());
    }

    private record Step(Duration after, Action action) {}

    private interface Action {
        void run() throws Exception;
    }

    private static List<Ledger> group(Cast cast) {
        List<Ledger> group = new ArrayList<>(cast.companions().ledgers());
        group.add(cast.client().ledger());
        return group;
    }

    private void awaitRecovery(Cast cast, long healing) throws IOException, InterruptedException {
        boolean recovered = cast.client()
                .await(
                        PATIENCE_WITH_RECOVERY,
                        ledger -> ledger.partitionsGot(healing, name -> !Ledger.isMember(name)) == PARTITIONS
                                && groupGot(cast, healing) == PARTITIONS);
        report.say("%s: its consumers %s", plan, recovered ? "have gone on" : "DO NOT GO ON");
    }

    private static long groupGot(Cast cast, long since) {
        return IntStream.range(0, PARTITIONS)
                .filter(partition -> group(cast).stream().anyMatch(ledger -> ledger.groupGot(partition, since)))
                .count();
    }

    private static boolean isAtWork(Ledger ledger, int members) {
        return ledger.latest() != null && ledger.latest().acked() >= PARTITIONS && ledger.consumers() == 1 + members;
    }

    private static boolean isQuiet(Ledger ledger, long since) {
        Ledger.Tick latest = ledger.latest();
        return !ledger.flushed().isEmpty()
                && latest.at() > since
                && latest.usedBytes() == 0
                && latest.inFlight() == 0
                && latest.pending() == 0;
    }

    private static void await(SubjectProcess process, String what, Predicate<Ledger> condition)
            throws IOException, InterruptedException {
        if (!process.await(PATIENCE_AT_START, condition)) {
            throw new IOException("it is not so that " + what + ":\n" + process.tail());
        }
    }

    private static void sleepUntil(long began, Duration after) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(began + after.toMillis() - now());
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** States what came of it: the figures, and each invariant, which is a claim unless the client is the yardstick. */
    static void state(Outcome outcome, Report report) {
        Table table = new Table(List.of(outcome.plan().client().title()));
        List<String> cells = outcome.cells();
        for (int column = 0; column < cells.size(); column++) {
            table.row(Outcome.COLUMNS.get(column), List.of(cells.get(column)));
        }
        report.table(outcome.plan().toString(), table);
        outcome.failures().forEach(failure -> report.say("failed: %s", failure));
        outcome.evidence().main().errors().forEach((error, times) -> report.say("%,d x %s", times, error));
        for (Invariant invariant : outcome.invariants()) {
            report.say("%s %s", invariant.held() ? "held  " : "BROKEN", invariant);
            if (outcome.plan().client() != ClientKind.JAVA) {
                report.claim(invariant.held(), outcome.plan() + ": " + invariant);
            }
        }
        report.claim(outcome.evidence().log().records() > 0, outcome.plan() + ": the log was read");
    }
}
