package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bundled broker with an archive of its classes, made by an earlier run: classes that come out of one need not be parsed and verified again, which is much of what a start takes. An agent can make the JVM
 * drop the archive without a word.
 */
final class ArchivedBroker implements AutoCloseable {

    /** Some classes are used in the one run and not in the other. */
    private static final double LEAST_PERCENT = 95;

    private static final String MAKE_AOT = "-XX:AOTCacheOutput=";
    private static final String RECIPE = "--add-modules=java.instrument";
    private static final List<String> COLUMNS = List.of("classes of the broker", "from the archive");

    private final Layout layout;
    private final TemporaryFolder folder;
    private final BundledBrokerHost broker;

    ArchivedBroker(Layout layout) throws IOException {
        this.layout = layout;
        this.folder = TemporaryFolder.named("faultline-archives");
        this.broker = new BundledBrokerHost(layout);
    }

    /**
     * A CDS archive of the application's classes (JEP 350).
     *
     * @param starts how often to start the broker without and with it
     */
    void lookAtCds(int starts, Report report) throws Exception {
        Path archive = made(layout.java(), "broker.jsa", "-XX:ArchiveClassesAtExit=");
        String use = "-XX:SharedArchiveFile=" + archive;
        LoadedClasses kept = loaded(layout.java(), JvmAgent.FAULTLINE, use);
        Table table = new Table(COLUMNS);
        row(table, "no agent", loaded(layout.java(), JvmAgent.NONE, use));
        row(table, "Faultline", kept);
        report.table("The bundled broker with a CDS archive", table);
        claim(report, "the host's CDS archive is in use with the agent", kept);
        Rounds<Boolean> measured = Interleaved.ofAll(
                        false, () -> broker.start(JvmAgent.NONE).values())
                .withAll(true, () -> broker.start(JvmAgent.NONE, List.of(use)).values())
                .run(0, starts);
        Table times = new Table(List.of(Start.WALL, Start.CPU));
        row(times, "without", measured, false);
        row(times, "with", measured, true);
        report.table("The start of the bundled broker without and with a CDS archive, medians", times);
    }

    private static void row(Table table, String name, Rounds<Boolean> measured, boolean archived) {
        table.row(
                name,
                List.of(
                        Math.round(measured.of(archived, Start.WALL).median()),
                        Math.round(measured.of(archived, Start.CPU).median())));
    }

    /** An AOT cache (JEP 483), which the JVM drops for any agent unless it was made with the module of agents. */
    void lookAtAot(Optional<AotJdk> found, Report report) throws IOException, InterruptedException {
        if (found.isEmpty()) {
            report.say("no JDK of 25 or later is here: nothing is said of AOT caches");
            return;
        }
        Path java = found.get().java();
        report.fact("java of the AOT caches", found.get().version().toString());
        String plain = "-XX:AOTCache=" + made(java, "plain.aot", MAKE_AOT);
        String recipe = "-XX:AOTCache=" + made(java, "recipe.aot", MAKE_AOT, RECIPE);
        LoadedClasses kept = loaded(java, JvmAgent.FAULTLINE, recipe);
        Table table = new Table(COLUMNS);
        row(table, "no agent", loaded(java, JvmAgent.NONE, plain));
        row(table, "Faultline", loaded(java, JvmAgent.FAULTLINE, plain));
        row(table, "Faultline, cache made with " + RECIPE, kept);
        report.table("The bundled broker with an AOT cache", table);
        claim(report, "an AOT cache made with " + RECIPE + " is in use with the agent", kept);
    }

    /** The archive that a JVM makes of what a run has used. */
    private Path made(Path java, String name, String option, String... more) throws IOException, InterruptedException {
        Path archive = folder.path().resolve(name);
        List<String> options = new ArrayList<>(List.of(more));
        options.add(option + archive);
        String printed = broker.run(java, options);
        if (!Files.exists(archive)) {
            throw new IOException(java + " with " + options + " has made no archive:\n" + printed);
        }
        return archive;
    }

    private LoadedClasses loaded(Path java, JvmAgent agent, String archive) throws IOException, InterruptedException {
        Path log = folder.path().resolve("classes.log");
        List<String> options = new ArrayList<>(agent.jvmOptions(layout));
        options.add(archive);
        options.add(LoadedClasses.option(log));
        broker.run(java, options);
        return LoadedClasses.of(log);
    }

    private static void row(Table table, String name, LoadedClasses loaded) {
        table.row(name, List.of(loaded.all(), loaded.archived()));
    }

    private static void claim(Report report, String claim, LoadedClasses loaded) {
        report.claim(
                loaded.percentArchived() >= LEAST_PERCENT,
                String.format("%s: %,d of %,d classes come from it", claim, loaded.archived(), loaded.all()));
    }

    @Override
    public void close() throws IOException {
        broker.close();
        folder.close();
    }
}
