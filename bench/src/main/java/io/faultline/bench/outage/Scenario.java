package io.faultline.bench.outage;

import io.faultline.bench.host.NetworkNamespace;
import io.faultline.bench.outage.Stage.Access;
import io.faultline.disk.DiskTools;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The outages. */
enum Scenario {
    FREEZE("all brokers stopped (SIGSTOP)", Access.DIRECT, Faults.Freeze::new),
    KILL("all brokers killed, and started again at the end", Access.DIRECT, Faults.Kill::new),
    BLACK_HOLE("every packet between clients and brokers vanishes", Access.NAMESPACE, Faults.BlackHole::new),
    HALF_OPEN("packets vanish, and meanwhile the brokers die and come back", Access.NAMESPACE, Faults.HalfOpen::new),
    ACCEPTS_AND_SILENT(
            "in the brokers' place connections are taken and nothing is said",
            Access.DIRECT,
            Faults.AcceptsAndSilent::new),
    ROLLING_RESTART(
            "one broker after the other restarted in an orderly way", Access.DIRECT, Faults.RollingRestart::new),
    COORDINATOR_DEATH(
            "the group's coordinator killed, and started again at the end",
            Access.DIRECT,
            Faults.CoordinatorDeath::new),
    SLOW_CLOSE("half of a response, then silence, then half a close", Access.PROXIES, Faults.SlowClose::new),
    RESET_STORM("all connections reset several times a second", Access.PROXIES, Faults.ResetStorm::new),
    EATEN_ACKS(
            "again and again no producer gets an answer, and then all brokers are killed and started",
            Access.PROXIES,
            Faults.EatenAcks::new),
    CLIENT_FREEZE(
            "the client's process stopped (SIGSTOP)", Access.DIRECT, cast -> new Faults.ClientFreeze(cast.client())),
    DISK("a disk under the leader fails, the agent attached", Access.DIRECT, Faults.DiskFailure::new),
    SOAK(
            "faults at random, beside and after each other, while members join and leave",
            Access.PROXIES,
            SoakFaults::new);

    private final String description;
    private final Access access;
    private final Function<Cast, Fault> fault;

    Scenario(String description, Access access, Function<Cast, Fault> fault) {
        this.description = description;
        this.access = access;
        this.fault = fault;
    }

    /** All but the soak, which is an experiment of its own. */
    static List<Scenario> outages() {
        return Arrays.stream(values()).filter(scenario -> scenario != SOAK).toList();
    }

    String description() {
        return description;
    }

    Access access() {
        return access;
    }

    /** As the command line spells it. */
    String option() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What this machine lacks for it. */
    List<String> missing() {
        if (this == DISK) {
            return DiskTools.missingForFailingDisk();
        }
        return access == Access.NAMESPACE ? NetworkNamespace.missing() : List.of();
    }

    Fault fault(Cast cast) {
        return fault.apply(cast);
    }

    @Override
    public String toString() {
        return option();
    }
}
